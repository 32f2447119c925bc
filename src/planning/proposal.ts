import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import { encodeIntent, type OperationSummary } from '../guard/intent-json.ts'
import type { PlanCore } from '../guard/plan-hash.ts'
import type { Intent } from '../protocols/intent.ts'
import type { Arrival } from '../store/journal/operation.ts'

/** The transactions of one chain and what they are for. A leg without an intent has no transactions: it only waits for what an earlier one sends. */
export type ProposedLeg = {
  chainId: number
  intent: Intent | null
  transactions: readonly Transaction[]
  arrival?: Omit<Arrival, 'hash'>
}

/** What a service proposes for a request. `request` is what the idempotency key stands for. */
export type Proposal = {
  id: string
  kind: string
  request: unknown
  wallet: Address
  /** The nonce that the first transaction is pinned to; `null` where the chain decides. */
  nonce: number | null
  legs: readonly ProposedLeg[]
  about: OperationSummary
  quoteId: string | null
  /** ISO time after which the proposal is worth nothing; `null` is never. */
  expiresAt: string | null
}

/** What a command makes of the service's answer; who signs, and at which nonce, is added by whoever carries it out. */
export type ServiceProposal = Omit<Proposal, 'request' | 'wallet' | 'nonce'>

/** All of a proposal that its hash covers, as data. */
export const planCore = ({ legs, ...rest }: Proposal): PlanCore => ({
  ...rest,
  legs: legs.map(({ chainId, intent, transactions, arrival }) => ({
    chainId,
    intent: intent && encodeIntent(intent),
    arrival: arrival ? { ...arrival, minimum: arrival.minimum.toString() } : null,
    transactions,
  })),
})

/** The legs of a proposal that have something to sign. */
export const activeLegs = ({ legs }: Proposal): (ProposedLeg & { intent: Intent; at: number })[] =>
  legs.flatMap((leg, at) => (leg.intent ? [{ ...leg, intent: leg.intent, at }] : []))
