import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as viem from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { type CatalogFile, catalogOfFile } from '../../../src/app/profiles/catalog-file.ts'
import { wholeCatalog } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { publicNetworks } from '../../../src/domain/networks.ts'
import { wrappedOf } from '../../../src/domain/token.ts'
import { metadataWithDefaults } from '../../../src/engine/strategies/strategy-answer.ts'
import { grades, marketsOf } from '../../../src/protocols/registry.ts'
import { oracles } from '../../oracles/sets.ts'
import { packages } from '../../protocols/packages.ts'
import { publishedPackages } from '../../sandbox/published-packages.ts'
import { seeded } from '../../support/engine.ts'
import { faultsOf } from './catalog-rules.ts'

const folder = join(import.meta.dirname, '../../../src/engine/catalog')
const names = readdirSync(folder).map((file) => file.replace('.json', ''))
const fileOf = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as CatalogFile

describe('the public networks', () => {
  test('include at least eight mainnets and four testnets, each with one catalogue file', () => {
    const count = (testnet: boolean) => publicNetworks.filter((one) => one.testnet === testnet).length
    expect(count(false)).toBeGreaterThanOrEqual(8)
    expect(count(true)).toBeGreaterThanOrEqual(4)
    expect(publicNetworks.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  })

  test.each(publicNetworks.map((network) => [network.name, network] as const))(
    '%s has the native coin, explorer, Multicall3 and testnet flag of its viem chain',
    (_, { chainId, native, explorer, testnet, multicall3 }) => {
      const chains = Object.values(viem).filter((chain) => 'id' in chain && chain.id === chainId)
      expect(chains.map(({ nativeCurrency: { symbol, decimals } }) => ({ symbol, decimals }))).toContainEqual(
        native,
      )
      expect(chains.map(({ blockExplorers }) => blockExplorers?.default.url)).toContain(explorer)
      const asking = chains.map(
        ({ contracts }) => (contracts as { multicall3?: { address: string } })?.multicall3,
      )
      expect(asking.map((one) => one?.address.toLowerCase())).toContain(multicall3?.toLowerCase())
      expect(chains.some((chain) => chain.testnet === true)).toBe(testnet)
    },
  )
})

test('every public market has a description and a volatility note, and its own description wins', async () => {
  const { strategies: all } = await wholeCatalog({ cache: '', data: '', config: '' } as never, {})
  expect(all.length).toBeGreaterThan(600)
  for (const entry of all) {
    const { slug, asset } = entry
    expect([slug, (metadataWithDefaults(entry) as { en: object }).en]).toEqual([
      slug,
      expect.objectContaining({
        description: expect.stringMatching(/\w+.*\.?$/),
        volatility: expect.stringContaining(asset.symbol),
      }),
    ])
  }
  const vault =
    all.find(({ slug }) => slug === 'euler9-summits-usdc-avalanche') ??
    all.find(({ protocol }) => protocol === 'euler9-summits')
  expect((metadataWithDefaults(vault!) as { en: object }).en).toMatchObject({
    description: 'A vault of 9Summits Cluster on Euler.',
  })
})

test('a grade A names a package of the sandbox or of test/protocols by version, and a grade B a compared SDK', () => {
  for (const { grade, by } of Object.values(grades)) {
    const [, name, version, , sdk, asked] =
      /^(@?[\w/.-]+) ([0-9.]+)(; its calldata equals that of (@?[\w/.-]+) ([0-9.]+)|; where .*)?$/.exec(by) ??
      []
    if (sdk) expect(oracles.map(({ packages: known }) => known[sdk])).toContain(asked)
    const taken = [...packages, ...publishedPackages].filter((one) => one.name === name)
    if (grade === 'A') expect(taken.map((one) => one.version)).toContain(version)
    if (grade === 'B') expect(oracles.map(({ packages: known }) => known[name!])).toContain(version)
  }
  expect(grades.stakewise.by).toMatch(
    /rewards .* are due, the SDK collects them first, and this program does not$/,
  )
  const families = names.flatMap((name) => fileOf(name).strategies.map(({ constants }) => constants.family))
  expect([...new Set(families)].toSorted()).toEqual(Object.keys(grades).toSorted())
})

test('the wrapped token of every mainnet is found by the symbol of its native coin', () => {
  for (const network of publicNetworks.filter(({ testnet }) => !testnet)) {
    const file = fileOf(network.name)
    const catalog = catalogOfFile(file)
    const wrapped = wrappedOf(catalog, { chainId: network.chainId, symbol: network.native.symbol })
    expect([network.name, wrapped?.symbol.toUpperCase()]).toEqual([
      network.name,
      `W${network.native.symbol}`.toUpperCase(),
    ])
  }
})

test('a market of a protocol with slow or limited withdrawals says so in its risk note', () => {
  const slow = [
    'ethena',
    'lido',
    'rocket-pool',
    'frax-ether',
    'ether-fi',
    'stader',
    'lista',
    'benqi-staking',
    'stakewise',
    'pendle-pt',
    'spark-psm3',
    'morpho',
    'across',
  ]
  const rows = names.flatMap((name) => fileOf(name).strategies)
  const silent = rows.filter(({ constants, metadata }) => {
    const { risk } = (metadata?.en ?? {}) as { risk?: unknown }
    return slow.includes(constants.family) && !/withdraw|asked back|maturity/.test(String(risk))
  })
  expect(silent.map(({ protocol, asset }) => `${protocol} ${asset}`)).toEqual([])
  expect(rows.filter(({ metadata }) => JSON.stringify(metadata).includes('undefined'))).toEqual([])
})

test('each logo found beside the survey has a source, and a market of each of its tokens bears it', () => {
  type Logo = { asset: string; logo: string; source: string; at: Record<string, string[]> }
  const path = join(import.meta.dirname, '../../../bench/catalog-logos.json')
  const logos = JSON.parse(readFileSync(path, 'utf8')) as Logo[]
  expect(
    logos.filter(({ source }) => !/^(npm:@?[\w./-]+@[0-9.]+|repo:[\w./-]+ [0-9a-f]{40}) /.test(source)),
  ).toEqual([])
  const borne = logos.flatMap(({ asset, logo, at }) =>
    Object.entries(at).flatMap(([network, tokens]) =>
      tokens.map((token) => {
        const rows = fileOf(network).strategies.filter((row) => row.asset === token)
        return { asset, network, bears: rows.some(({ logourl }) => logourl === logo) }
      }),
    ),
  )
  expect(borne.filter(({ bears }) => !bears)).toEqual([])
})

test('a launch date of a file is that of its market or of its family, and most markets have one', () => {
  const every = names.flatMap((name) => catalogOfFile(fileOf(name)).strategies)
  const own = every.filter(({ launchDate }) => launchDate !== null)
  const ofFamily = every.filter(({ familyLaunchDate }) => familyLaunchDate !== null)
  const some = every.filter((one) => (one.launchDate ?? one.familyLaunchDate) !== null)
  expect(own.length).toBeGreaterThanOrEqual(160)
  expect(ofFamily.length).toBeGreaterThanOrEqual(255)
  expect(some.length).toBeGreaterThan((every.length * 2) / 3)
  const dateOf = (protocol: string, network: string) =>
    every.find((one) => one.protocol === protocol && one.network === network)?.familyLaunchDate
  expect(dateOf('euler-k3-arbitrum', 'arbitrum')).toBe('2025-01-30T00:00:00.000Z')
  expect(dateOf('aave-v3', 'optimism')).toBe('2022-03-17T00:00:00.000Z')
  expect(dateOf('aave-v3-prime', 'ethereum')).toBeNull()
  expect(dateOf('venus', 'bnb')).toBeNull()
  for (const name of names) {
    const { launches, ...file } = fileOf(name)
    const { strategies } = catalogOfFile({ ...file, launches })
    const dated = strategies.filter(({ launchDate }) => launchDate !== null)
    const text = (protocol: string, asset: string, date: string) => `${protocol} ${asset} ${date}`
    expect(dated.map((one) => text(one.protocol, one.asset.address, one.launchDate!)).toSorted()).toEqual(
      launches.map((one) => text(one.protocol, one.asset, `${one.date}T00:00:00.000Z`)).toSorted(),
    )
  }
})

describe('the catalogue rules', () => {
  test.each(names)('pass for %s', (name) => {
    expect(faultsOf(fileOf(name))).toEqual([])
    expect(fileOf(name).network).toBe(name)
  })

  test('ids and slugs are unique over all networks, and every entry has a market adapter', async () => {
    const { strategies } = await wholeCatalog({ cache: '', data: '', config: '' } as never, {
      SLUICE_RPC_BASE: 'https://x.example',
    })
    expect(new Set(strategies.map(({ id }) => id)).size).toBe(strategies.length)
    expect(new Set(strategies.map(({ slug }) => slug)).size).toBe(strategies.length)
    expect(marketsOf({ strategies } as never)).toHaveLength(strategies.length)
    expect(new Set(strategies.map(({ network }) => network)).size).toBeGreaterThanOrEqual(12)
  })

  test('no market adapter returns a number for missing answers', async () => {
    const { strategies } = await wholeCatalog({ cache: '', data: '', config: '' } as never, {
      SLUICE_RPC_BASE: 'https://x.example',
    })
    const guessed = marketsOf({ strategies } as never).filter(({ shares, worth, units, entry }) =>
      [shares(entry.asset.address), worth(1n), units?.(1n)].some(
        (asked) =>
          asked && asked.reads.length > 0 && asked.parse(asked.reads.map(() => undefined)) !== undefined,
      ),
    )
    expect(guessed.map(({ entry }) => entry.slug)).toEqual([])
  })

  type Lie = (row: CatalogFile['strategies'][number], file: CatalogFile, random: () => number) => void
  const flipped = (address: string, random: () => number) => {
    const at = 2 + Math.floor(random() * 40)
    const digit = ((Number.parseInt(address[at]!, 16) + 1) % 16).toString(16)
    return (address.slice(0, at) + digit + address.slice(at + 1)) as never
  }
  const lies: [string, Lie][] = [
    [
      'a receipt address with one digit changed',
      (row, _, random) => {
        row.receipt.address = flipped(row.receipt.address, random)
      },
    ],
    [
      'an asset address with one digit changed',
      (row, _, random) => {
        row.asset = flipped(row.asset, random)
      },
    ],
    [
      'a constant with one digit changed',
      (row, _, random) => {
        const [name, at] = Object.entries(row.constants).find(([, value]) => /^0x/.test(String(value)))!
        Object.assign(row.constants, { [name]: flipped(String(at), random) })
      },
    ],
    [
      'the receipt of another market',
      (row, { strategies }) => {
        row.receipt.address = strategies.find((other) => other !== row)!.receipt.address
      },
    ],
    [
      'the asset as its own receipt',
      (row) => {
        row.receipt.address = row.asset
      },
    ],
    [
      'an unlisted asset',
      (row) => {
        row.asset = row.receipt.address
      },
    ],
    [
      'an empty source',
      (row) => {
        row.source = ''
      },
    ],
    [
      'impossible decimals',
      (row) => {
        row.receipt.decimals = 77
      },
    ],
    [
      'a protocol name that is no slug',
      (row) => {
        row.protocol = 'Aave V3'
      },
    ],
    [
      'the selector of another protocol',
      (row) => {
        row.implementationSelector = 'other@1'
      },
    ],
    [
      'a duplicate entry',
      (row, { strategies }) => {
        strategies.push(row)
      },
    ],
    [
      'a missing constant',
      (row) => {
        delete (row.constants as Record<string, unknown>)[Object.keys(row.constants).at(-1)!]
      },
    ],
    [
      'an unknown field',
      (row) => {
        Object.assign(row, { extra: 1 })
      },
    ],
  ]

  test.each(lies)('%s is reported in any file and entry', (_, lie) => {
    const random = seeded(7)
    for (const name of names)
      for (let tries = 0; tries < 3; tries++) {
        const file = fileOf(name)
        if (file.strategies.length < 2) continue
        lie(file.strategies[Math.floor(random() * file.strategies.length)]!, file, random)
        expect(faultsOf(file), name).not.toEqual([])
      }
  })

  test('a pool, an oracle or a bridge of another network is reported', () => {
    const [base, arbitrum] = [fileOf('base'), fileOf('arbitrum')]
    const there = arbitrum.strategies[0]!.constants
    const changed = structuredClone(base)
    changed.strategies[1]!.constants = there as never
    expect(faultsOf(changed)).not.toEqual([])
    expect(
      faultsOf({ ...base, swaps: { ...base.swaps, cctp: fileOf('base-sepolia').swaps.cctp } }),
    ).not.toEqual([])
  })
})
