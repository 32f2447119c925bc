import { z } from 'zod'
import { type Address, CatalogAddress, nativeAddress } from '../domain/address.ts'
import { networkNamed, publicNetworks } from '../domain/networks.ts'
import { nativeToken, tokenAt } from '../domain/token.ts'
import { type Catalog, categories } from './catalog-types.ts'
import { MarketConstants } from './market-constants-union.ts'

const Text = z.string().min(1)
const Decimals = z.int().min(0).max(36)
const Service = z.url({ protocol: /^https$/ })
const Hash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

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

/** The contracts of a provider on the network; `null` where there are none. */
const contracts = <shape extends z.ZodRawShape>(shape: shape) =>
  z.strictObject({ ...shape, source: Text }).nullable()

/** The contracts of Uniswap v3, or of a fork. */
const LikeUniswapV3 = contracts({
  factory: CatalogAddress,
  quoterV2: CatalogAddress,
  swapRouter02: CatalogAddress,
  feeTiers: z.array(z.int().positive()).min(1),
  via: z.array(CatalogAddress),
})

/** What is known of one network: a file in `src/engine/catalog`, with a source for every address. */
export const CatalogFile = z.strictObject({
  network: Text,
  priceOracle: contracts({ address: CatalogAddress }),
  priceFeeds: z.array(
    z.strictObject({ token: CatalogAddress, feed: CatalogAddress, decimals: Decimals, source: Text }),
  ),
  uniswapV3: LikeUniswapV3,
  uniswapV2: contracts({
    factory: CatalogAddress,
    router02: CatalogAddress,
    initCodeHash: Hash,
    via: z.array(CatalogAddress),
  }),
  kyberSwap: contracts({ router: CatalogAddress, api: Service }),
  uniswapV4: contracts({
    poolManager: CatalogAddress,
    quoter: CatalogAddress,
    stateView: CatalogAddress,
    universalRouter: CatalogAddress,
    permit2: CatalogAddress,
    via: z.array(CatalogAddress),
  }),
  cctpV2: contracts({
    domain: z.int().min(0),
    token: CatalogAddress,
    tokenMessenger: CatalogAddress,
    messageTransmitter: CatalogAddress,
    attestation: Service,
  }),
  across: contracts({ spokePool: CatalogAddress, api: Service }),
  cow: contracts({ settlement: CatalogAddress, vaultRelayer: CatalogAddress, api: Service }),
  balancerV2: contracts({
    vault: CatalogAddress,
    queries: CatalogAddress,
    pools: z.array(z.strictObject({ id: Hash, tokens: z.array(CatalogAddress).min(2), source: Text })),
  }),
  pancakeSwapV3: LikeUniswapV3,
  lifi: contracts({ diamond: CatalogAddress, api: Service }),
  oneInch: contracts({ router: CatalogAddress, api: Service }),
  relay: contracts({
    depository: CatalogAddress,
    chain: Text,
    router: CatalogAddress,
    solver: CatalogAddress,
    solverChain: Text,
    api: Service,
  }),
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

/** The catalogue of one network, out of its file. */
export function catalogOfFile(json: unknown): Catalog {
  const file = CatalogFile.parse(json)
  const network = networkNamed(publicNetworks, file.network)
  const { chainId } = network
  const tokens = file.tokens.map(({ source: _, ...token }) => ({ chainId, ...token, name: token.symbol }))
  const here = <value extends { source: string }>(one: value | null) =>
    one ? [{ chainId, ...withoutSource(one) }] : []
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
        receipt: {
          chainId,
          ...receipt,
          name: receipt.symbol,
          ...(constants.family === 'stakewise' && { isShares: true as const }),
        },
        constants,
        fromBlock: BigInt(fromBlock),
      }
    }),
    uniswapV3: here(file.uniswapV3),
    uniswapV2: here(file.uniswapV2),
    kyberSwap: here(file.kyberSwap),
    uniswapV4: here(file.uniswapV4),
    cctpV2: here(file.cctpV2),
    attestation: null,
    across: here(file.across),
    acrossApi: null,
    cow: here(file.cow),
    balancerV2: here(file.balancerV2).map((one) => ({ ...one, pools: one.pools.map(withoutSource) })),
    pancakeSwapV3: here(file.pancakeSwapV3),
    lifi: here(file.lifi),
    oneInch: here(file.oneInch).map((one) => ({ ...one, keyFile: null })),
    relay: here(file.relay),
    priceOracles: file.priceOracle ? { [chainId]: file.priceOracle.address } : {},
    priceFeeds: file.priceFeeds.map((feed) => ({ chainId, ...withoutSource(feed) })),
  }
}

const withoutSource = <value extends { source: string }>({ source: _, ...rest }: value) => rest
