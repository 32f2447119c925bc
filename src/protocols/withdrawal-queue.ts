import type { Rounds } from '../chain/contract-query.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Verdict } from './verdict.ts'

/**
 * A withdrawal that was asked for. `amount` is in the smallest unit of the asset, times are Unix seconds, `null` where no contract says. Where
 * it can be claimed for a while only, that ends at `until`; what was let pass never can be: `back` names what gives it back, and `shares` is how
 * much of the receipt that gives.
 */
export type Request = {
  id: string
  amount: bigint
  requestedAt: number | null
  availableAt: number | null
  until?: number
  back?: string
  shares?: bigint
}

/** What an owner has in a queue: what waits, and what can be claimed, oldest first. */
export type Requests = { pending: readonly Request[]; claimable: readonly Request[] }

/** A log of a market, and when its block was made, in Unix seconds as a quantity. */
export type Logged = { address: Address; topics: readonly Hex[]; data: Hex; blockTimestamp?: Hex }

/** What an intent to claim says to the queue: the wallet, and its requests that can be claimed. */
export type Claim = { wallet: Address; ids: readonly string[] }

/**
 * How a market pays out later: a withdrawal is a request, and a claim of the owner takes what came of it. Engine and guard ask the same
 * questions, each of its own node.
 */
export type Queue = {
  /** The contract that claims go to. */
  place: Address
  /** What the owner asked for, at a time in Unix seconds, among the tickets that are known; `null` where the contracts do not answer. */
  requests: (owner: Address, now: number, tickets: readonly bigint[]) => Rounds<Requests | null>
  /** How long does a request take, in seconds? Without it, no contract says. */
  wait?: () => Rounds<number | null>
  /** For how many seconds can a request be claimed, once it can be, and what gives back the shares of all that was let pass? Without it, for ever. */
  lapses?: {
    window: () => Rounds<number | null>
    back: string
    takeBack: Transaction
    bind: (transaction: Transaction, intent: Claim) => Verdict
  }
  /** Those of the requests that can be claimed that one transaction takes. */
  taken: (claimable: readonly Request[]) => readonly Request[]
  /** The call that takes them for their owner, who sends it. */
  claim: (owner: Address, taken: readonly Request[]) => Transaction | Rounds<Transaction>
  bind: (transaction: Transaction, intent: Claim) => Verdict
  /** The token (ERC-721) that stands for a request, where there is one. Those of an owner that are `unlisted` are found in logs. */
  ticket?: { address: Address; symbol: string; unlisted?: true }
  /** The tickets of an owner out of the logs of the market, where no token stands for a request and no contract lists them. */
  logged?: (owner: Address, logs: readonly Logged[]) => bigint[]
  /** What is logged of a claim, if that can be filtered by owner: its first topic is who claimed, and its last word how much was paid. */
  paid?: Hex
  /** Which tickets does a claim name? There where they are unlisted. */
  named?: (transaction: Transaction) => readonly bigint[]
  /** Whether a new request makes all that waits begin again. */
  restarts?: true
}

/** Nothing is asked for. */
export const noRequests: Requests = { pending: [], claimable: [] }
