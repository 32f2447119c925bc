import { z } from 'zod'
import { type Address, At, nativeAddress } from '../domain/address.ts'
import { networkNamed, publicNetworks } from '../domain/networks.ts'
import { nativeToken, tokenAt } from '../domain/token.ts'
import { type Catalog, categories } from './catalog-types.ts'
import { MarketConstants } from './constants.ts'

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

/** The contracts of Uniswap v3, or of a fork. */
const LikeUniswapV3 = z
  .strictObject({
    factory: At,
    quoterV2: At,
    swapRouter02: At,
    feeTiers: z.array(z.int().positive()).min(1),
    via: z.array(At),
    source: Text,
  })
  .nullable()

/** What is known of one network: a file in `src/engine/catalog`, with a source for every address. */
export const CatalogFile = z.strictObject({
  network: Text,
  priceOracle: z.strictObject({ address: At, source: Text }).nullable(),
  priceFeeds: z.array(z.strictObject({ token: At, feed: At, decimals: Decimals, source: Text })),
  uniswapV3: LikeUniswapV3,
  uniswapV2: z
    .strictObject({
      factory: At,
      router02: At,
      initCodeHash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]),
      via: z.array(At),
      source: Text,
    })
    .nullable(),
  kyberSwap: z.strictObject({ router: At, api: z.url({ protocol: /^https$/ }), source: Text }).nullable(),
  uniswapV4: z
    .strictObject({
      poolManager: At,
      quoter: At,
      stateView: At,
      universalRouter: At,
      permit2: At,
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
  across: z.strictObject({ spokePool: At, api: z.url({ protocol: /^https$/ }), source: Text }).nullable(),
  cow: z
    .strictObject({ settlement: At, vaultRelayer: At, api: z.url({ protocol: /^https$/ }), source: Text })
    .nullable(),
  balancerV2: z
    .strictObject({
      vault: At,
      queries: At,
      pools: z.array(
        z.strictObject({
          id: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]),
          tokens: z.array(At).min(2),
          source: Text,
        }),
      ),
      source: Text,
    })
    .nullable(),
  pancakeSwapV3: LikeUniswapV3,
  lifi: z.strictObject({ diamond: At, api: z.url({ protocol: /^https$/ }), source: Text }).nullable(),
  oneInch: z.strictObject({ router: At, api: z.url({ protocol: /^https$/ }), source: Text }).nullable(),
  relay: z
    .strictObject({
      depository: At,
      chain: Text,
      router: At,
      solver: At,
      solverChain: Text,
      api: z.url({ protocol: /^https$/ }),
      source: Text,
    })
    .nullable(),
  tokens: z.array(z.strictObject({ address: At, symbol: Text, decimals: Decimals, source: Text })),
  strategies: z.array(Strategy),
})
export type CatalogFile = z.output<typeof CatalogFile>

/** An id in lower case with hyphens, as in URLs and on command lines. */
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
        metadata: entry.metadata,
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
    uniswapV2: file.uniswapV2 ? [{ chainId, ...withoutSource(file.uniswapV2) }] : [],
    kyberSwap: file.kyberSwap ? [{ chainId, ...withoutSource(file.kyberSwap) }] : [],
    uniswapV4: file.uniswapV4 ? [{ chainId, ...withoutSource(file.uniswapV4) }] : [],
    cctpV2: file.cctpV2 ? [{ chainId, ...withoutSource(file.cctpV2) }] : [],
    attestation: null,
    across: file.across ? [{ chainId, ...withoutSource(file.across) }] : [],
    acrossApi: null,
    cow: file.cow ? [{ chainId, ...withoutSource(file.cow) }] : [],
    balancerV2: file.balancerV2
      ? [{ chainId, ...withoutSource(file.balancerV2), pools: file.balancerV2.pools.map(withoutSource) }]
      : [],
    pancakeSwapV3: file.pancakeSwapV3 ? [{ chainId, ...withoutSource(file.pancakeSwapV3) }] : [],
    lifi: file.lifi ? [{ chainId, ...withoutSource(file.lifi) }] : [],
    oneInch: file.oneInch ? [{ chainId, ...withoutSource(file.oneInch), keyFile: null }] : [],
    relay: file.relay ? [{ chainId, ...withoutSource(file.relay) }] : [],
    priceOracles: file.priceOracle ? { [chainId]: file.priceOracle.address } : {},
    priceFeeds: file.priceFeeds.map((feed) => ({ chainId, ...withoutSource(feed) })),
  }
}

const withoutSource = <value extends { source: string }>({ source: _, ...rest }: value) => rest
