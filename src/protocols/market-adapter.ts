import type { Reading, Rounds } from '../chain/call.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Permit2Payment, Transaction } from '../domain/transaction-types.ts'
import type { StrategyEntry } from './catalog-types.ts'
import type { MovingPriceMarket } from './moving-price-quotes.ts'
import type { MarketRewards } from './shared/market-rewards.ts'
import type { Queue } from './withdrawal-queue.ts'

/**
 * The meaning of a log of a market for one owner. An `amount` is `null` until the shares are priced. `shares` are units of the receipt that do
 * not rebase, one number for each way in which the contract may have rounded; empty if the log does not contain them.
 */
export type MarketEvent = {
  type: 'deposit' | 'withdraw' | 'transfer_in' | 'transfer_out' | 'claim'
  amount: bigint | null
  shares: readonly bigint[]
}

/** One filter of `eth_getLogs`: topics by position. If no topic names the owner, all logs of the event are read, and `isAbout` selects the owner's. */
export type LogFilter = { address: Address; topics: (Hex | null)[]; isAbout?: (log: Log) => boolean }
/** The parts of a log that give its meaning. */
export type Log = { address: Address; topics: Hex[]; data: Hex }
export type SentLog = Log & { transactionHash: Hex }

/**
 * One call, and the allowance that it needs; with `through`, the spender takes the token through Permit2, which needs the allowance. The
 * engine turns needs into exact approvals, so no market builds one.
 */
export type CallWithAllowance = {
  transaction: Transaction
  needs?: { token: Address; spender: Address; amount: bigint; through?: Permit2Payment }
}

/**
 * The amount of a step and its owner. The amount is in the smallest unit of the asset. `units` is its cost in the receipt, `entrance` the contract that
 * takes deposits and `bounds` the least result, each only for a market with a reading of it.
 */
type Order = { amount: bigint; owner: Address; units?: bigint; entrance?: Address; bounds?: Bounds }

/** The least that an exchange must bring, in the smallest unit of what comes out. `isMature`: it redeems at the promised price, without a market. */
export type Bounds = { least: bigint; isMature: boolean }

/** The yearly rate: linear, and compounded by the protocol's own convention. `protocolFee` is the share of the earnings that the protocol has already kept, if it was read. */
export type Rate = { apr: number; apy: number; protocolFee?: number }

/** The time for which a rate is read: that of the newest block, in Unix seconds, and the average block time, if known. */
export type Moment = { now: number; secondsABlock?: number | undefined }

/**
 * The current state of a market. `apr` is the linear yearly rate, `apy` its compounded form by the protocol's own convention;
 * `null` means that no contract states it. `index` is the value of one initial unit, scaled by 1e27. `headroom` and `liquidity` are how
 * much can still be deposited and withdrawn, in the smallest unit of the asset; `null` is no limit.
 */
export type MarketState = {
  apr: number | null
  apy: number | null
  tvl: bigint
  index: bigint
  canDeposit: boolean
  canWithdraw: boolean
  headroom: bigint | null
  liquidity: bigint | null
  /** The share of the earnings that the protocol keeps; the rates here are after it. Missing if it was not read. */
  protocolFee?: number | null
  /** The share of all assets that the protocol keeps per year, also without earnings. Missing if it was not read. */
  managementFee?: number | null
  /** Why deposits or withdrawals are closed without a pause, as the rest of a sentence that begins with the market's name. */
  closed?: { deposit?: string; withdraw?: string }
}

/**
 * One market for one asset: functions of its constants. Chain reads are data (`Reading`), so that many markets are read in one call. An optional
 * field is missing where a market does not need it.
 */
export type Market = ProtocolMarket & {
  /** Quotes of its steps, where they are exchanges at a moving price. */
  exchange?: MovingPriceMarket
  /** The queue of withdrawals. Without it, a withdrawal pays at once. */
  queue?: Queue
}

/** The part of a market that its protocol makes by itself; the rest is in its calldata rules and its queue. */
export type ProtocolMarket = {
  entry: StrategyEntry
  /** What the contracts answer about themselves if the constants are right. Decimals are checked for every market. */
  contractAssertions: readonly Reading<string[]>[]
  /** Rates, size, and whether it is open. */
  state: Reading<MarketState>
  /** The `index` of the state alone. A contract may answer it in blocks in which it does not answer the rest. */
  index: Reading<bigint>
  /** The rate, computed from several rounds of reads, where no contract states it. `null` is unknown. */
  rate?: (at: Moment) => Rounds<Rate | null>
  /** Whether `rate` is per block and needs the block time. */
  isPaidByBlock?: boolean
  /** The seconds in the year of a rate that is not compounded; realised rates follow it. Without it, rates compound over 365 days. */
  simpleYear?: number
  /** Rewards in other tokens. Without it, no contract states any. */
  rewards?: MarketRewards | undefined
  /** The owner's balance in units of the receipt token, with those that are staked. Here and below, `undefined` means that the contracts do not answer. */
  shares: (owner: Address) => Reading<bigint | undefined>
  /** Where receipts are staked, and how many of an owner's `shares` are: these cannot be withdrawn before they are unstaked. */
  staking?: { at: Address; shares: (owner: Address) => Reading<bigint | undefined> }
  /** The value of units of the receipt, in units of the asset. */
  worth: (shares: bigint) => Reading<bigint | undefined>
  /** How much the owner can deposit now, where the limit depends on the owner; `null` is no limit of its own. Without it, the `headroom` of the state is the only limit. */
  mostIn?: (owner: Address) => Rounds<bigint | null>
  /** How much the owner can withdraw now; `null` is unknown. Without it, the `liquidity` of the state is the only limit. */
  mostOut?: (owner: Address) => Rounds<bigint | null>
  /** The cost of an amount in units of the receipt, for markets whose partial withdrawals name those. */
  units?: (amount: bigint) => Reading<bigint | undefined>
  /** The contract that takes deposits now, where the protocol can change it. */
  entrance?: Reading<Address>
  /** The owner's requests that were made with this receipt, by the logs, where several receipts share a queue. */
  requested?: (owner: Address, all: readonly SentLog[]) => readonly string[]
  /** The step of a deposit. */
  deposit: (order: Order) => CallWithAllowance
  /** The step of a partial withdrawal. */
  withdraw: (order: Order) => CallWithAllowance
  /** The step that withdraws everything and leaves no rest. */
  withdrawAll: (order: { owner: Address; shares: bigint; bounds?: Bounds }) => CallWithAllowance
  /** The owner's balance in units that do not rebase, as in the events, where the receipt rebases; `null` is unknown. */
  counted?: (owner: Address) => Reading<bigint | null>
  /** The value of one such unit, scaled by 1e27, which never falls, where no log contains how many of them moved. */
  grown?: Reading<bigint | undefined>
  /** The filters for all logs about an owner. */
  logs: (owner: Address) => LogFilter[]
  /** The meaning of one such log for the owner, given the other logs of its transaction and `all` of them; `undefined` if it has none. */
  event: (
    log: Log,
    owner: Address,
    inSame: readonly Log[],
    all: readonly SentLog[],
  ) => MarketEvent | undefined
}
