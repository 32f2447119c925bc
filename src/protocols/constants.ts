import type { Address } from '../domain/address.ts'

/** What each protocol family must know about one of its markets. */
export type AaveV3Constants = { family: 'aave-v3'; pool: Address; aToken: Address; oracle: Address }
/**
 * What is particular about a tokenized vault. `backing`: it only wraps a lending reserve, and its rate is that reserve's. `stated`: who
 * says its rate a second, in rays. `limits: 'none'`: its `max*` functions are zero by design and say nothing. `lends`: it lends by itself,
 * and says what that costs, as the vaults of Euler do.
 */
export type VaultRules = {
  vault: Address
  backing?: { pool: Address; aToken: Address } | undefined
  stated?: { at: Address; name: 'ssr' | 'vsr' | 'dsr' | 'getSSR' } | undefined
  limits?: 'stated' | 'none' | undefined
  lends?: 'euler' | undefined
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
 * A market of the Compound v2 family. `rate`: its contract states it a second, or a block; `compounds`: its protocol shows it as what it is when it compounds once a day. `pauses`: whom to ask, and how.
 * `coin`: the asset is the native coin, which goes to the market itself or to a router beside it; it comes out of the market either way.
 */
export type CompoundV2Constants = {
  family: 'compound-v2'
  market: Address
  comptroller: Address
  rate: 'second' | 'block'
  compounds?: 'daily' | undefined
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
type RocketPoolConstants = {
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
type GnosisSdaiConstants = {
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
/**
 * The Genesis vault of StakeWise v3, of which there is one a network, and which keeps its shares to itself; `keeper` says whether its
 * rewards must be brought in first, and `registry` which vaults are StakeWise's.
 */
export type StakewiseConstants = { family: 'stakewise'; vault: Address; keeper: Address; registry: Address }
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
