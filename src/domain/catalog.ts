import type { Address } from './address.ts'
import type { Network } from './network.ts'
import type { Token } from './token.ts'

/** The four kinds of strategy of the specification. */
export const categories = ['lending', 'staking', 'fixed-yield', 'other'] as const
export type Category = (typeof categories)[number]

/** What each protocol family must know about one of its markets. */
export type AaveV3Constants = { family: 'aave-v3'; pool: Address; aToken: Address; oracle: Address }
/**
 * What is particular about a tokenized vault. `backing`: it only wraps a lending reserve, and its rate is that reserve's. `stated`: who
 * says its rate a second, in rays. `limits: 'none'`: its `max*` functions are zero by design and say nothing.
 */
export type VaultRules = {
  vault: Address
  backing?: { pool: Address; aToken: Address } | undefined
  stated?: { at: Address; name: 'ssr' | 'vsr' | 'dsr' | 'getSSR' } | undefined
  limits?: 'stated' | 'none' | undefined
}
/** A vault with nothing beyond EIP-4626. */
export type Erc4626Constants = { family: 'erc4626' } & VaultRules
/** A vault of Morpho (MetaMorpho v1.0 and v1.1), which lends on markets of the contract `morpho`. */
export type MorphoConstants = { family: 'morpho'; vault: Address; morpho: Address }
/** A vault that is left with a bound on the loss. */
export type YearnV3Constants = { family: 'yearn-v3' } & VaultRules
/** A market of Compound v3 is one contract; `rewards` says in which token it pays beside its interest. */
export type CompoundV3Constants = { family: 'compound-v3'; comet: Address; rewards?: Address | undefined }
/**
 * A market of the Compound v2 family. `rate`: a contract states it a second, or it is only known by growth. `pauses`: whom to ask, and how.
 * `coin`: the asset is the native coin, which goes to the market itself or to a router beside it; it comes out of the market either way.
 */
export type CompoundV2Constants = {
  family: 'compound-v2'
  market: Address
  comptroller: Address
  rate: 'second' | 'growth'
  pauses: 'guardian' | 'action'
  coin?: 'market' | { router: Address } | undefined
}
/** Lido. The position is held in stETH, or in the token that wraps it, which `staker` gives for the coin. Withdrawals go through a queue. */
export type LidoConstants = {
  family: 'lido'
  stEth: Address
  queue: Address
} & ({ holds: 'stETH'; staker?: undefined } | { holds: 'wstETH'; wstEth: Address; staker: Address })
/** USDe staked with Ethena: a vault that is left through a cooldown. */
export type EthenaConstants = { family: 'ethena'; vault: Address }
/** Rocket Pool. `depositPool` is where stakes went when this was written; `storage` says where they go. */
export type RocketPoolConstants = {
  family: 'rocket-pool'
  token: Address
  storage: Address
  depositPool: Address
}
/** Stader: `manager` takes stakes, `withdrawals` is asked for withdrawals. */
export type StaderConstants = { family: 'stader'; token: Address; manager: Address; withdrawals: Address }
/** Lista: one contract beside the token does everything. */
export type ListaConstants = { family: 'lista'; token: Address; manager: Address }
/** sAVAX of Benqi: the token does everything. */
export type BenqiStakingConstants = { family: 'benqi-staking'; token: Address }
/** ether.fi: adapters take the coin for weETH, and weETH for a ticket of `requests`; `pool` says whether all is paused. */
export type EtherFiConstants = {
  family: 'ether-fi'
  token: Address
  pool: Address
  depositAdapter: Address
  withdrawAdapter: Address
  requests: Address
}
/** Staked frxETH: `minter` takes the coin, `queue` takes sfrxETH for a ticket. */
export type FraxEtherConstants = { family: 'frax-ether'; token: Address; minter: Address; queue: Address }
/** Savings xDAI: `adapter` takes the coin for `token`, a vault of the wrapped coin `wrapped`, and gives it back at once. */
export type GnosisSdaiConstants = {
  family: 'gnosis-sdai'
  token: Address
  adapter: Address
  wrapped: Address
}
/**
 * A PT of Pendle: a claim on one unit of its asset at `expiry` (Unix seconds), sold below that on `market`. `sy` is what its yield is made
 * of, `yt` its other half; `router` carries calls out, `routerStatic` says what they bring, and `oracle` its price.
 */
export type PendlePtConstants = {
  family: 'pendle-pt'
  market: Address
  yt: Address
  sy: Address
  router: Address
  routerStatic: Address
  oracle: Address
  expiry: number
}
/** A pool of Across: `hubPool` has those of all tokens. `wrapped`: the asset is the native coin, and the pool that of what wraps it. */
export type AcrossConstants = { family: 'across'; hubPool: Address; wrapped?: Address | undefined }
/** sUSDS where it is a bridged token: `psm` sells it and buys it back, at the rate of `oracle`. */
export type SparkPsm3Constants = { family: 'spark-psm3'; psm: Address; oracle: Address }
/** A vault of StakeWise v3 that anyone may use, which keeps its shares to itself; `keeper` says whether its rewards must be brought in first. */
export type StakewiseConstants = { family: 'stakewise'; vault: Address; keeper: Address }
/** Staked coins as a token whose price grows. */
export type StakedConstants =
  | EtherFiConstants
  | FraxEtherConstants
  | RocketPoolConstants
  | StaderConstants
  | ListaConstants
  | BenqiStakingConstants
  | GnosisSdaiConstants
/** What a market stands on, by its protocol family. */
export type MarketConstants =
  | AaveV3Constants
  | AcrossConstants
  | CompoundV2Constants
  | CompoundV3Constants
  | Erc4626Constants
  | EthenaConstants
  | LidoConstants
  | MorphoConstants
  | PendlePtConstants
  | SparkPsm3Constants
  | StakedConstants
  | StakewiseConstants
  | YearnV3Constants

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

/** Where Uniswap v3 stands on a chain. `via` are the tokens that a two-hop path may pass through. */
export type UniswapV3Constants = {
  chainId: number
  factory: Address
  quoterV2: Address
  swapRouter02: Address
  feeTiers: readonly number[]
  via: readonly Address[]
}

/** Where the burn-and-mint bridge (CCTP v2) stands on a chain. `domain` is the bridge's own number for the chain. */
export type CctpV2Constants = {
  chainId: number
  domain: number
  token: Address
  tokenMessenger: Address
  messageTransmitter: Address
  /** Base URL of the attestation service of this end, where it is not that of the whole catalogue. Ends of two services are no bridge. */
  attestation?: string
}

/** A Chainlink feed that prices a token in USD, for tokens that the Aave oracle of their chain does not list. */
export type PriceFeed = { chainId: number; token: Address; feed: Address; decimals: number }

/** Everything an engine and a guard know in advance about the chains they serve: data, and nothing else. */
export type Catalog = {
  networks: readonly Network[]
  tokens: readonly Token[]
  strategies: readonly StrategyEntry[]
  uniswapV3: readonly UniswapV3Constants[]
  cctpV2: readonly CctpV2Constants[]
  /** Base URL of the attestation service of the bridge. */
  attestation: string | null
  /** The Aave oracle of each chain, which prices its listed tokens in USD with 8 decimals. */
  priceOracles: Readonly<Record<number, Address>>
  priceFeeds: readonly PriceFeed[]
}

/** Several catalogues as one. The attestation service is that of the first that has one. */
export const joined = (parts: readonly Catalog[]): Catalog => ({
  networks: parts.flatMap(({ networks }) => networks),
  tokens: parts.flatMap(({ tokens }) => tokens),
  strategies: parts.flatMap(({ strategies }) => strategies),
  uniswapV3: parts.flatMap(({ uniswapV3 }) => uniswapV3),
  cctpV2: parts.flatMap(({ cctpV2 }) => cctpV2),
  attestation: parts.find(({ attestation }) => attestation !== null)?.attestation ?? null,
  priceOracles: Object.assign({}, ...parts.map(({ priceOracles }) => priceOracles)),
  priceFeeds: parts.flatMap(({ priceFeeds }) => priceFeeds),
})
