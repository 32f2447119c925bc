import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import type { ListView } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { addressLink } from '../cli/terminal/explorer-links.ts'
import { tokensOn } from '../diagnosis/wallet-balances.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { networkNamed } from '../domain/networks.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { otherSymbols, symbolMeant, tokensCalled } from '../domain/text/token-symbols.ts'

/** One token: by which other symbols a command takes it, and its address; the zero address is the coin. */
type Row = {
  network: string
  chainId: number
  symbol: string
  otherSymbols: readonly string[]
  name: string
  address: Address
  decimals: number
}

/** `tokens`: the tokens of the catalogue. */
export const tokens = (program: CommandContext) => {
  const command = new Command('tokens').description('List the tokens that commands take by their symbol.')
  command
    .command('list')
    .description('List the tokens of the networks of this profile; the zero address is the coin.')
    .addHelpText('after', '\nExample:\n  $ sluice tokens list --network sandbox-one --asset USDC')
    .action(action(program, list))
  return command
}

async function list(cli: Cli, { network: only, asset }: OptionsOf<'tokens list'>): Promise<void> {
  const catalog = await cli.backend.catalog()
  const chosen = only === undefined ? catalog.networks : [networkNamed(catalog.networks, only)]
  const all = chosen.map((network) => ({ network, here: tokensOn(catalog, network) }))
  const items = all.flatMap(({ network, here }) => {
    const found =
      asset === undefined
        ? here
        : asset.startsWith('0x')
          ? here.filter(({ address }) => sameAddress(address, asset))
          : tokensCalled(here, asset)
    return found.map(
      ({ chainId, symbol, name, address, decimals }): Row => ({
        ...{ network: network.name, chainId, symbol },
        otherSymbols: otherSymbols({ chainId, address }),
        ...{ name, address, decimals },
      }),
    )
  })
  const symbols = all.flatMap(({ here }) => here.map(({ symbol }) => symbol))
  const meant = asset === undefined ? '' : symbolMeant(asset, symbols)
  await cli.list(
    { items, page: 1, limit: Math.max(1, items.length), total: items.length, hasMore: false },
    {
      columns,
      empty: asset === undefined ? 'No tokens.' : `No token "${sanitizeText(asset)}"${meant || '.'}`,
    },
  )
}

const columns: ListView<Row>['columns'] = [
  {
    title: 'NETWORK',
    field: 'network',
    csv: { network: ({ network }) => network },
    text: ({ network }) => network,
  },
  {
    title: 'TOKEN',
    field: 'symbol',
    csv: { symbol: ({ symbol }) => symbol },
    text: ({ symbol }) => sanitizeText(symbol),
  },
  {
    title: 'ALSO CALLED',
    field: 'otherSymbols',
    csv: { otherSymbols: ({ otherSymbols: others }) => others.join(' ') },
    text: ({ otherSymbols: others }) => others.map(sanitizeText).join(', '),
    drop: 1,
  },
  {
    title: 'ADDRESS',
    field: 'address',
    csv: { address: ({ address }) => address },
    text: ({ address }) => address,
    link: ({ network }, address, to) => addressLink(to, network, address),
  },
  {
    title: 'DECIMALS',
    field: 'decimals',
    csv: { decimals: ({ decimals }) => decimals },
    align: 'right',
    text: ({ decimals }) => String(decimals),
  },
]
