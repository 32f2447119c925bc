import type { Rounds } from '../chain/contract-query.ts'
import type { Reading } from '../chain/reading.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { StrategyEntry } from './catalog.ts'
import type { Exchange } from './exchange.ts'
import type { Extras } from './shared/rewards.ts'
import type { Queue } from './withdrawal-queue.ts'

/** One call, and the allowance it needs first. The engine turns needs into exact approvals, so no market builds one. */
export type Step = { transaction: Transaction; needs?: { token: Address; spender: Address; amount: bigint } }

/** How much, and whose. Amounts are in the smallest unit of the asset; `units` is what that costs of the
 * receipt, `entrance` where it goes in and `bounds` what it must bring, where the market was asked. */
type Order = { amount: bigint; owner: Address; units?: bigint; entrance?: Address; bounds?: Bounds }

/** What a step that is an exchange must bring at least, in the smallest unit of what comes out, and whether it pays what it promised, with no market between. */
export type Bounds = { least: bigint; isMature: boolean }

/** What is paid a year: the linear rate, and its compounded form by the protocol's own convention; and the part of what is earned that the protocol keeps before, where it was asked. */
export type Rate = { apr: number; apy: number; protocolFee?: number }

/** When a rate is asked for: the time of the newest block, in Unix seconds, and how far the newest blocks are apart, where that is known. */
export type Moment = { now: number; secondsABlock?: number | undefined }

/**
 * How a market stands now. `apr` is the linear rate a year, `apy` its compounded form by the protocol's own convention;
 * `null` is not stated by any contract.
 * `index` is how much one unit has become since the market began, scaled by 1e27. `headroom` and `liquidity` are what can
 * still go in and come out, in the smallest unit of the asset; `null` is no limit.
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
  /** The part of what is earned that the protocol keeps, before any rate that is stated here; without it, nobody was asked. */
  protocolFee?: number | null
  /** Why nothing goes in or out now, after the name of the market, where that is no pause. */
  closed?: { deposit?: string; withdraw?: string }
}

/**
 * What a log of a market means for one owner. An `amount` is `null` until the shares are priced. `shares` are units of the receipt that do
 * not grow by themselves, by each of the roundings that the contract may have had; there are none where the log does not tell.
 */
export type MarketEvent = {
  type: 'deposit' | 'withdraw' | 'transfer_in' | 'transfer_out' | 'claim'
  amount: bigint | null
  shares: readonly bigint[]
}

/** One filter of `eth_getLogs`: topics by position. Where no topic says whom a log is about, all of that name are asked for, and `isAbout` says whether one is meant. */
export type LogFilter = { address: Address; topics: (Hex | null)[]; isAbout?: (log: Log) => boolean }
/** A log, as far as its meaning goes. */
export type Log = { address: Address; topics: Hex[]; data: Hex }
/** The same with the transaction that it is of. */
export type SentLog = Log & { transactionHash: Hex }

/**
 * One place to put one asset. It is a set of answers over constants; what must be read from a chain is data
 * (`Reading`), so that many markets are read in one call.
 */
export type Market = {
  entry: StrategyEntry
  /** What must its contracts say of themselves, if the constants are right? Decimals are asked of every market. */
  claims: readonly Reading<string[]>[]
  /** What does it pay, what is in it, is it open? */
  state: Reading<MarketState>
  /** What has one unit become, by itself, as its state says it? A contract may say that long before, or after, it says the rest. */
  index: Reading<bigint>
  /** What does it pay, by what it stands on? There where no contract says, and what must be asked depends on answers. `null` is not known. */
  rate?: (at: Moment) => Rounds<Rate | null>
  /** Is that rate one of a block, so that it needs to know how far these are apart? */
  isPaidByBlock?: boolean
  /** How many seconds has the year of its rate, where that is not compounded? What it paid is told alike. Without it, rates compound over 365 days. */
  simpleYear?: number
  /** What does it pay beside, in tokens of others? Without it, nobody says. */
  rewards?: Extras | undefined
  /** What does this owner hold, in units of the receipt token? Here and below, `undefined` is that the contracts do not say. */
  shares: (owner: Address) => Reading<bigint | undefined>
  /** What are so many units of the receipt worth, in units of the asset? */
  worth: (shares: bigint) => Reading<bigint | undefined>
  /** How much can this owner take out now? `null` is not known; without it, what the state says of liquidity is all there is. */
  mostOut?: (owner: Address) => Reading<bigint | null>
  /** What does so much cost in units of the receipt? There where one gets out of a part by giving those back. */
  units?: (amount: bigint) => Reading<bigint | undefined>
  /** Where does a deposit go now, by the protocol's own word? There where that moves. */
  entrance?: Reading<Address>
  /** What do its steps bring, where they are exchanges at a price that moves? */
  exchange?: Exchange
  /** Where does a withdrawal wait before it is paid? Without it, it pays at once. */
  queue?: Queue
  /** Which requests of an owner were made with this receipt, by its logs? There where several receipts share a queue. */
  requested?: (owner: Address, all: readonly SentLog[]) => readonly string[]
  /** How does one get in? */
  deposit: (order: Order) => Step
  /** How does one get out of a part? */
  withdraw: (order: Order) => Step
  /** How does one get out of all of it, so that nothing is left? */
  withdrawAll: (order: { owner: Address; shares: bigint; bounds?: Bounds }) => Step
  /** What does this owner hold in the units of its events, which do not grow? There where those of the receipt do; `null` is not known. */
  counted?: (owner: Address) => Reading<bigint | null>
  /** What has one of those become, scaled by 1e27, of which it never is less? There where no log tells how many were moved. */
  grown?: Reading<bigint | undefined>
  /** Which logs are about this owner? */
  logs: (owner: Address) => LogFilter[]
  /** What does one of those logs mean for this owner, beside the others of its transaction and `all` there are? `undefined` is nothing. */
  event: (
    log: Log,
    owner: Address,
    inSame: readonly Log[],
    all: readonly SentLog[],
  ) => MarketEvent | undefined
}
