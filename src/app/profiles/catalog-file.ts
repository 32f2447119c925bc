import { z } from 'zod'
import { type Address, CatalogAddress, nativeAddress } from '../../domain/address.ts'
import { categories } from '../../domain/categories.ts'
import { networkNamed, publicNetworks } from '../../domain/networks.ts'
import { nativeToken, tokenAt } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { MarketConstants } from '../../protocols/market-constants-union.ts'
import { swapsOfFile } from '../../swaps/swap-provider-registry.ts'

const Text = z.string().min(1)
const Decimals = z.int().min(0).max(36)
const Service = z.url({ protocol: /^https$/ })

/** One market of a file. `asset` goes in and comes out, `receipt` is what is held; `source` says where its addresses were read. */
const Strategy = z.strictObject({
  protocol: Text,
  name: Text,
  category: z.enum(categories),
  asset: CatalogAddress,
  receipt: z.strictObject({ address: CatalogAddress, symbol: Text, decimals: Decimals }),
  implementationSelector: Text,
  startDate: z.iso.datetime().nullable(),
  isDefault: z.boolean(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  logourl: Service.nullable(),
  constants: MarketConstants,
  fromBlock: z.string().regex(/^[0-9]+$/),
  source: Text,
})

/** The day on which a market opened to the public, as its source states it. */
const Launch = z.strictObject({ protocol: Text, asset: CatalogAddress, date: z.iso.date(), source: Service })

/**
 * The day on which a family of markets was deployed or launched on this network, as its source states it: none of its
 * markets is older. `protocol` is the name of the protocol, or the beginning of the names of several, followed by `*`.
 */
const FamilyLaunch = z.strictObject({ protocol: Text, date: z.iso.date(), source: Service })

/** What is known of one network: a file in `src/engine/catalog`, with a source for every address. */
export const CatalogFile = z.strictObject({
  network: Text,
  priceOracle: z.strictObject({ address: CatalogAddress, source: Text }).nullable(),
  priceFeeds: z.array(
    z.strictObject({ token: CatalogAddress, feed: CatalogAddress, decimals: Decimals, source: Text }),
  ),
  launches: z.array(Launch),
  familyLaunches: z.array(FamilyLaunch),
  /** The contracts of swap providers, by provider name; the folder of each has the schema. */
  swaps: swapsOfFile,
  tokens: z.array(
    z.strictObject({ address: CatalogAddress, symbol: Text, decimals: Decimals, source: Text }),
  ),
  strategies: z.array(Strategy),
})
export type CatalogFile = z.output<typeof CatalogFile>

/** An id in lower case with hyphens, as in URLs and on command lines. */
export const slugOf = (id: string): string =>
  id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Whether the family of a launch contains a protocol. */
export const isOfFamily = (family: string, protocol: string): boolean =>
  family.endsWith('*') ? protocol.startsWith(family.slice(0, -1)) : protocol === family

/** Midnight (UTC) of the day of a launch in ISO 8601, or `null` if none is known. */
const dayOf = (launch: { date: string } | undefined): string | null =>
  launch ? `${launch.date}T00:00:00.000Z` : null

/** The catalogue of one network, out of its file. */
export function catalogOfFile(json: unknown): Catalog {
  const file = CatalogFile.parse(json)
  const network = networkNamed(publicNetworks, file.network)
  const { chainId } = network
  const tokens = file.tokens.map(({ source: _, ...token }) => ({ chainId, ...token, name: token.symbol }))
  const assetAt = (address: Address) =>
    address === nativeAddress ? nativeToken(network) : tokenAt(tokens, chainId, address)!
  return {
    networks: [network],
    tokens,
    strategies: file.strategies.map(({ source: _, asset: at, receipt, fromBlock, constants, ...entry }) => {
      const asset = assetAt(at)
      const id = `${entry.protocol}-${asset.symbol}-${network.name}`
      const launch = file.launches.find((one) => one.protocol === entry.protocol && one.asset === at)
      return {
        ...entry,
        id,
        slug: slugOf(id),
        network: network.name,
        chainId,
        asset,
        receipt: {
          chainId,
          ...receipt,
          name: receipt.symbol,
          ...(constants.family === 'stakewise' && { isShares: true as const }),
        },
        constants,
        fromBlock: BigInt(fromBlock),
        launchDate: dayOf(launch),
        familyLaunchDate: dayOf(
          file.familyLaunches.find(({ protocol }) => isOfFamily(protocol, entry.protocol)),
        ),
      }
    }),
    swaps: Object.fromEntries(
      Object.entries(file.swaps).map(([name, one]) => [name, [{ chainId, ...withoutSources(one) }]]),
    ),
    priceOracles: file.priceOracle ? { [chainId]: file.priceOracle.address } : {},
    priceFeeds: file.priceFeeds.map((feed) => ({ chainId, ...withoutSources(feed) })),
  }
}

/** A value of a file without the sources of its addresses, at any depth. */
const withoutSources = <value extends object>(value: value): Omit<value, 'source'> =>
  JSON.parse(JSON.stringify(value), (name, inner) => (name === 'source' ? undefined : inner))
