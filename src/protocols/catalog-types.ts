import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { BitcoinConstants } from './bitcoin-services.ts'
import type { MarketConstants } from './market-constants-union.ts'

/** The four kinds of strategy of the specification. */
export const categories = ['lending', 'staking', 'fixed-yield', 'other'] as const

type Category = (typeof categories)[number]

/**
 * One entry of the catalogue of strategies. `asset` is the token that goes in and comes out;
 * `receipt` is the token that the position is held in (aToken, vault share).
 */
export type StrategyEntry = {
  /** `{protocol}-{assetName}-{network}` */
  id: string
  /** Lower-case, hyphenated; accepted wherever an id is. */
  slug: string
  name: string
  protocol: string
  network: string
  chainId: number
  category: Category
  asset: Token
  receipt: Token
  /** `{family}@{version}`; changes with the calldata. */
  implementationSelector: string
  /** ISO 8601, or `null` where it is not known. */
  startDate: string | null
  isDefault: boolean
  metadata: Record<string, unknown> | null
  logourl: string | null
  constants: MarketConstants
  /** The block from which its events are read. */
  fromBlock: bigint
}

/** The contracts of Uniswap v3 on a chain. `via` are the tokens that a two-hop path may pass through. */
export type UniswapV3Constants = {
  chainId: number
  factory: Address
  quoterV2: Address
  swapRouter02: Address
  feeTiers: readonly number[]
  via: readonly Address[]
}

/** The contracts of Uniswap v2 on a chain. `initCodeHash` gives the addresses of pairs; `via` are the tokens that a two-hop path may pass through. */
export type UniswapV2Constants = {
  chainId: number
  factory: Address
  router02: Address
  initCodeHash: Hex
  via: readonly Address[]
}

/** The router of KyberSwap's aggregator on a chain. `api` is the base URL of its service for the chain; without one it is not asked. */
export type KyberSwapConstants = { chainId: number; router: Address; api: string | null }

/**
 * The router of 1inch's aggregator on a chain. `api` is the base URL of its service for the chain, and `keyFile` the file with the user's
 * key for it; without both it is not asked.
 */
export type OneInchConstants = {
  chainId: number
  router: Address
  api: string | null
  keyFile: string | null
}

/**
 * The contracts of Uniswap v4 on a chain. The router takes tokens through Permit2; `via` are the tokens, beside the native coin, that a
 * two-hop path may pass through.
 */
export type UniswapV4Constants = {
  chainId: number
  poolManager: Address
  quoter: Address
  stateView: Address
  universalRouter: Address
  permit2: Address
  via: readonly Address[]
}

/** The contracts of the burn-and-mint bridge (CCTP v2) on a chain. `domain` is the bridge's own number for the chain. */
export type CctpV2Constants = {
  chainId: number
  domain: number
  token: Address
  tokenMessenger: Address
  messageTransmitter: Address
  /** Base URL of the attestation service of this end, if it differs from the catalogue's. Ends with different services form no bridge. */
  attestation?: string
}

/** The contract of Across on a chain, which takes deposits and pays out fills. */
export type AcrossConstants = {
  chainId: number
  spokePool: Address
  /** Base URL of the service that suggests fees, if it differs from the catalogue's. Ends with different services form no bridge. */
  api?: string
}

/**
 * The contracts of CoW Protocol on a chain: orders are pre-signed at the settlement, and the relayer takes what they sell. `api` is the base
 * URL of the order book of the chain; without one it is not asked.
 */
export type CowConstants = {
  chainId: number
  settlement: Address
  vaultRelayer: Address
  api: string | null
}

/**
 * The contracts of Balancer v2 on a chain, and the weighted pools that are used: nothing on the chain tells which pools hold two tokens.
 * `id` names a pool at the vault (32 bytes, its address first); `tokens` are all that it holds.
 */
export type BalancerV2Constants = {
  chainId: number
  vault: Address
  queries: Address
  pools: readonly { id: Hex; tokens: readonly Address[] }[]
}

/**
 * A partner (Avenia) that swaps USDC and BRLA of a chain: what is sent to its account `desk` for a ticket, it pays out later from there.
 * `chain` is its own name for the chain. `service`: the base URL of its API, and the file with the keys of the account there; without
 * these it is not asked.
 */
export type AveniaConstants = {
  chainId: number
  desk: Address
  usdc: Address
  brla: Address
  chain: string
  service: { api: string; account: string } | null
}

/** The diamond of LI.FI on a chain. `api` is the base URL of its service; without one it is not asked. */
export type LifiConstants = { chainId: number; diamond: Address; api: string | null }

/**
 * Relay on a chain: tokens are deposited at the depository for an order. `chain` is its own name for the chain in orders, and `solver` on
 * `solverChain` the account that orders are made with, which pays coins out by the `router`. `api` is the base URL of its service; without one it is not asked.
 */
export type RelayConstants = {
  chainId: number
  depository: Address
  chain: string
  router: Address
  solver: Address
  solverChain: string
  api: string | null
}

/** A Chainlink feed that prices a token in USD, for tokens that the Aave oracle of their chain does not list. */
export type PriceFeed = { chainId: number; token: Address; feed: Address; decimals: number }

/** Everything that an engine and a guard know in advance about their chains, as plain data. */
export type Catalog = {
  networks: readonly Network[]
  tokens: readonly Token[]
  strategies: readonly StrategyEntry[]
  uniswapV3: readonly UniswapV3Constants[]
  uniswapV2: readonly UniswapV2Constants[]
  kyberSwap: readonly KyberSwapConstants[]
  uniswapV4: readonly UniswapV4Constants[]
  cctpV2: readonly CctpV2Constants[]
  /** Base URL of the attestation service of the bridge. */
  attestation: string | null
  across: readonly AcrossConstants[]
  /** Base URL of the service that suggests the fees of Across. */
  acrossApi: string | null
  cow: readonly CowConstants[]
  balancerV2: readonly BalancerV2Constants[]
  /** A fork of Uniswap v3; the router is its SmartRouter. */
  pancakeSwapV3: readonly UniswapV3Constants[]
  lifi: readonly LifiConstants[]
  oneInch: readonly OneInchConstants[]
  relay: readonly RelayConstants[]
  /** The Aave oracle of each chain, which prices its listed tokens in USD with 8 decimals. */
  priceOracles: Readonly<Record<number, Address>>
  priceFeeds: readonly PriceFeed[]
  /** Where the partner for ramps is set up; nowhere without it. */
  avenia?: readonly AveniaConstants[]
  /** The services of swaps that begin on Bitcoin; without them there are none. */
  bitcoin?: BitcoinConstants
}
