import { z } from 'zod'
import { type Address, nativeAddress } from '../domain/address.ts'
import { networkNamed, publicNetworks } from '../domain/networks.ts'
import { nativeToken, tokenAt } from '../domain/token.ts'
import { type Catalog, categories } from './catalog.ts'
import { MarketConstants } from './constants.ts'
import { At } from './shared/address-schema.ts'

const lends = (symbol: string): string =>
  `Lends ${symbol} to borrowers of the market against collateral. The rate follows how much of it is borrowed.`
const stakes = (symbol: string): string =>
  `Stakes ${symbol} and holds a receipt for it, which is worth more as the validators earn. A withdrawal may have to wait.`
const vaultText = (symbol: string): string =>
  `A vault that takes ${symbol} and gives shares. A share is worth more as the vault earns.`

/** What the markets of a family do with an asset, in a sentence or two. */
const descriptions: Readonly<Record<MarketConstants['family'], (symbol: string) => string>> = {
  'aave-v3': lends,
  'compound-v2': lends,
  'compound-v3': lends,
  erc4626: vaultText,
  'gnosis-sdai': vaultText,
  morpho: (symbol) =>
    `A vault that lends ${symbol} in the markets of Morpho that its curator chooses. A share is worth more as borrowers pay.`,
  'yearn-v3': (symbol) =>
    `A vault that puts ${symbol} into the strategies that its managers choose. A share is worth more as these earn.`,
  across: (symbol) => `Lends ${symbol} to the relayers of the Across bridge, who pay for it by the transfer.`,
  'spark-psm3': (symbol) =>
    `Changes ${symbol} into a savings token at the rate of the savings, and back into ${symbol}.`,
  'pendle-pt': (symbol) =>
    `Buys a principal token with ${symbol} below what it pays at maturity. The difference is the yield.`,
  ethena: (symbol) => `Stakes ${symbol} and holds a share of it. A withdrawal has to wait.`,
  lido: stakes,
  stakewise: stakes,
  lista: stakes,
  'rocket-pool': stakes,
  'frax-ether': stakes,
  'ether-fi': stakes,
  stader: stakes,
  'benqi-staking': stakes,
}

/** The texts of a market, with what is true of its whole family where nobody says it of the market itself. */
export function withFamilyWords(
  metadata: Record<string, unknown> | null,
  family: MarketConstants['family'],
  symbol: string,
): Record<string, unknown> {
  const said = (metadata?.en ?? {}) as Record<string, unknown>
  const known = {
    volatility: `Counted in ${symbol}: its value in USD follows the price of ${symbol}.`,
    description: descriptions[family](symbol),
  }
  return { ...metadata, en: { ...known, ...said } }
}

const Text = z.string().min(1)
const Decimals = z.int().min(0).max(36)

/** One market of a file. `asset` goes in and comes out, `receipt` is what is held; `source` says where its addresses were read. */
const Strategy = z.strictObject({
  protocol: Text,
  name: Text,
  category: z.enum(categories),
  asset: At,
  receipt: z.strictObject({ address: At, symbol: Text, decimals: Decimals }),
  implementationSelector: Text,
  startDate: z.iso.datetime().nullable(),
  isDefault: z.boolean(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  logourl: z.url({ protocol: /^https$/ }).nullable(),
  constants: MarketConstants,
  fromBlock: z.string().regex(/^[0-9]+$/),
  source: Text,
})

/** What is known of one network: a file in `src/engine/catalog`, with a source for every address. */
export const CatalogFile = z.strictObject({
  network: Text,
  priceOracle: z.strictObject({ address: At, source: Text }).nullable(),
  priceFeeds: z.array(z.strictObject({ token: At, feed: At, decimals: Decimals, source: Text })),
  uniswapV3: z
    .strictObject({
      factory: At,
      quoterV2: At,
      swapRouter02: At,
      feeTiers: z.array(z.int().positive()).min(1),
      via: z.array(At),
      source: Text,
    })
    .nullable(),
  cctpV2: z
    .strictObject({
      domain: z.int().min(0),
      token: At,
      tokenMessenger: At,
      messageTransmitter: At,
      attestation: z.url({ protocol: /^https$/ }),
      source: Text,
    })
    .nullable(),
  tokens: z.array(z.strictObject({ address: At, symbol: Text, decimals: Decimals, source: Text })),
  strategies: z.array(Strategy),
})
export type CatalogFile = z.output<typeof CatalogFile>

/** Lower case, words by hyphens: an id as it stands in URLs and on command lines. */
export const slugOf = (id: string): string =>
  id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

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
      return {
        ...entry,
        id,
        slug: slugOf(id),
        network: network.name,
        chainId,
        asset,
        metadata: withFamilyWords(entry.metadata, constants.family, asset.symbol),
        receipt: {
          chainId,
          ...receipt,
          name: receipt.symbol,
          ...(constants.family === 'stakewise' && { isShares: true as const }),
        },
        constants: constants satisfies MarketConstants,
        fromBlock: BigInt(fromBlock),
      }
    }),
    uniswapV3: file.uniswapV3 ? [{ chainId, ...withoutSource(file.uniswapV3) }] : [],
    cctpV2: file.cctpV2 ? [{ chainId, ...withoutSource(file.cctpV2) }] : [],
    attestation: null,
    priceOracles: file.priceOracle ? { [chainId]: file.priceOracle.address } : {},
    priceFeeds: file.priceFeeds.map((feed) => ({ chainId, ...withoutSource(feed) })),
  }
}

const withoutSource = <value extends { source: string }>({ source: _, ...rest }: value) => rest
