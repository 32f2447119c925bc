import type { Rounds } from '../chain/call.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CalldataVerdict } from './calldata-verdict.ts'

/**
 * A requested withdrawal. `amount` is in the smallest unit of the asset, times are Unix seconds, `null` if no contract states them. A request that
 * can be claimed for a limited time has the end of it in `until`. An overdue one cannot be claimed: `back` names the function that returns its shares,
 * and `shares` is how many units of the receipt that are.
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

/** The requests of an owner: those that wait, and those that can be claimed, oldest first. */
export type Requests = { pending: readonly Request[]; claimable: readonly Request[] }

/** A log of a market with the time of its block, in Unix seconds as a quantity. */
export type Logged = { address: Address; topics: readonly Hex[]; data: Hex; blockTimestamp?: Hex }

/** The part of a claim intent that a queue checks: the wallet, and its requests to claim. */
export type Claim = { wallet: Address; ids: readonly string[] }

/**
 * A queue of withdrawals: a withdrawal is a request, which its owner claims later. Engine and guard do the same reads, each at its own node.
 */
export type Queue = {
  /** The contract that claims go to. */
  place: Address
  /** The owner's requests at a time in Unix seconds, given the known tickets; `null` if the contracts do not answer. */
  requests: (owner: Address, now: number, tickets: readonly bigint[]) => Rounds<Requests | null>
  /** The waiting time of a request, in seconds. Without it, no contract states it. */
  wait?: () => Rounds<number | null>
  /** For how many seconds a request can be claimed, and the call that returns the shares of all overdue ones. Without it, a request never expires. */
  lapses?: {
    window: () => Rounds<number | null>
    back: string
    takeBack: Transaction
    check: (transaction: Transaction, intent: Claim) => CalldataVerdict
  }
  /** The claimable requests that one transaction claims. */
  taken: (claimable: readonly Request[]) => readonly Request[]
  /** The call that claims them; their owner sends it. */
  claim: (owner: Address, taken: readonly Request[]) => Transaction | Rounds<Transaction>
  check: (transaction: Transaction, intent: Claim) => CalldataVerdict
  /** The token (ERC-721) that represents a request. If it is `unlisted`, no contract lists the tokens of an owner: they are found in logs. */
  ticket?: { address: Address; symbol: string; unlisted?: true }
  /** The tickets of an owner from the logs of the market, where requests have no token and no contract lists them. */
  logged?: (owner: Address, logs: readonly Logged[]) => bigint[]
  /** The topic of the event of a claim, if it can be filtered by owner: its first indexed argument is the owner, its last word the amount paid. */
  paid?: Hex
  /** The tickets that a claim names, where they are unlisted. */
  named?: (transaction: Transaction) => readonly bigint[]
  /** A new request restarts the waiting time of all others. */
  restarts?: true
}

export const noRequests: Requests = { pending: [], claimable: [] }

/** Requests by whether they can be claimed; one without an answer (`null`) leaves all unknown. */
export function byReadiness(all: readonly ((Request & { isReady: boolean }) | null)[]): Requests | null {
  const known = all.filter((one) => one !== null)
  if (known.length < all.length) return null
  const those = (ready: boolean) =>
    known.filter(({ isReady }) => isReady === ready).map(({ isReady: _, ...request }) => request)
  return { pending: those(false), claimable: those(true) }
}
