import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { exitCodes } from '../../src/cli/schema/exit-codes.ts'
import { situations } from '../../src/diagnosis/situations.ts'
import { eventTable } from '../../src/domain/events/event-table.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { gradeOf } from '../../src/protocols/registry.ts'
import type { SwapDefinition } from '../../src/swaps/definition.ts'
import { contractsOn } from '../../src/swaps/swap-contracts.ts'
import { swapDefinitions } from '../../src/swaps/swap-provider-registry.ts'

/**
 * The start of a catalogue's `protocol`, and the protocol name for tables where it is not the market name without its
 * asset. The longest match wins.
 */
const names: Readonly<Record<string, string>> = {
  'aave-v3': 'Aave v3',
  benqi: 'Benqi',
  curve: 'Curve scrvUSD',
  'ether-fi': 'ether.fi',
  euler: 'Euler v2',
  'gnosis-savings': 'Gnosis sDAI',
  lido: 'Lido',
  morpho: 'Morpho',
  'pendle-pt': 'Pendle PT',
  spark: 'Spark',
  'yearn-v3': 'Yearn v3',
}

const known = await filesOf(publicNetworks)
const mainnets = publicNetworks.filter(({ testnet }) => !testnet)

/** The generated parts of pages, by the name in their markers. */
const parts: Readonly<Record<string, () => string[]>> = {
  'protocols-by-network': protocolsByNetwork,
  grades: gradeRows,
  networks: networkRows,
  'swap-providers': swapProviderRows,
  situations: () => [
    '| situation | when | next |',
    '|---|---|---|',
    ...Object.entries(situations).map(([name, { when, next }]) => `| ${name} | ${when} | ${next} |`),
  ],
  events: () => [
    '| event | subject | when |',
    '|---|---|---|',
    ...Object.entries(eventTable).map(
      ([type, { subject, text }]) => `| \`${type}\` | ${subject} | ${text} |`,
    ),
  ],
  'exit-codes': () => [
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`),
  ],
}

/** The names of all generated parts. */
export const partNames: readonly string[] = Object.keys(parts)

/** A page with the current content between `<!-- generated: NAME -->` and `<!-- end -->`. */
export const filled = (page: string): string =>
  page.replace(
    /(<!-- generated: ([\w-]+)[^\n]* -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const part = parts[name]
      if (!part) throw new Error(`There is no generated part ${name}`)
      return `${begin}\n${part().join('\n')}\n\n${end}`
    },
  )

/** The protocol name of an entry: from the table above, otherwise the market name without its last word, the asset. */
function nameOf({ protocol, name }: StrategyEntry): string {
  const [prefix] = Object.keys(names)
    .filter((one) => protocol.startsWith(one))
    .sort((a, b) => b.length - a.length)
  return prefix === undefined ? name.replace(/ \S+$/, '') : names[prefix]!
}

/** The grade of an entry; with a star if the executed bytecode belongs to another protocol. */
function markOf(entry: StrategyEntry): string {
  const { grade, by } = gradeOf(entry)
  return by.startsWith('of ') ? `${grade}*` : grade
}

const entries = known.flatMap(({ strategies }) => strategies)
const protocols = [...new Set(entries.map(nameOf))].sort((a, b) => a.localeCompare(b, 'en'))
const ofNetwork = (network: string): Catalog => known.find(({ networks }) => networks[0]!.name === network)!

/** Whether a swap provider serves the network of a catalogue: it has contracts there, and a service if it asks one. */
function isOn({ spender, contracts }: SwapDefinition, catalog: Catalog): boolean {
  const { chainId } = catalog.networks[0]!
  const row: object = contractsOn(catalog, contracts, chainId) ?? {}
  return spender(catalog, chainId) !== undefined && !('api' in row && row.api === null)
}

/** Whether a swap provider has contracts on any main network. */
const isAnywhere = (provider: SwapDefinition): boolean =>
  mainnets.some(({ name }) => isOn(provider, ofNetwork(name)))

/** The proof of each provider's swap terms before signing. */
const reaches = { 'same-chain': 'one chain', 'cross-chain': 'two chains', both: 'one chain or two' }
const kinds = { 'same-chain': 'swap', 'cross-chain': 'bridge', both: 'swap, bridge' }

function swapProviderRows(): string[] {
  const terms = ['spender', 'amount', 'recipient', 'minimum', 'deadline'] as const
  return [
    `| swap provider | reach | ${terms.join(' | ')} |`,
    `|---|---|${terms.map(() => '---').join('|')}|`,
    ...swapDefinitions.map(
      ({ name, reach, proof }) =>
        `| ${name} | ${reaches[reach]} | ${terms.map((term) => proof[term]).join(' | ')} |`,
    ),
  ]
}

/** Each protocol with its grades on each main network. */
function protocolsByNetwork(): string[] {
  const row = (name: string, cell: (network: string) => string) =>
    `|${[name, ...mainnets.map((network) => cell(network.name))].join('|')}|`
  return [
    row('protocol', (network) => network),
    row('---', () => ':-:'),
    ...protocols.map((name) =>
      row(name, (network) =>
        [
          ...new Set(
            ofNetwork(network)
              .strategies.filter((entry) => nameOf(entry) === name)
              .map(markOf),
          ),
        ]
          .sort()
          .join('/'),
      ),
    ),
    ...swapDefinitions
      .filter(isAnywhere)
      .map((provider) =>
        row(`${provider.name} (${kinds[provider.reach]})`, (network) =>
          isOn(provider, ofNetwork(network)) ? '✓' : '',
        ),
      ),
  ]
}

/** The evidence for each grade. */
function gradeRows(): string[] {
  const rows = entries.map(
    (entry) => `| ${nameOf(entry)} | ${markOf(entry)} | ${gradeOf(entry).by.replace(/^of /, '')} |`,
  )
  return [
    '| protocol | grade | evidence |',
    '|---|---|---|',
    ...[...new Set(rows)].sort((a, b) => a.localeCompare(b, 'en')),
  ]
}

/** The number of markets on each network, and whether swaps and bridges exist there. */
function networkRows(): string[] {
  return [
    '| network | chain id | markets | swap providers |',
    '|---|---|---|---|',
    ...known.map((catalog) => {
      const [network] = catalog.networks
      const providers = swapDefinitions.filter((provider) => isOn(provider, catalog)).map(({ name }) => name)
      return `| ${network!.name} | ${network!.chainId} | ${catalog.strategies.length} | ${providers.join(', ') || 'none'} |`
    }),
  ]
}
