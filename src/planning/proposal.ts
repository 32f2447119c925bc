import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { encodeIntent } from '../guard/intent-json.ts'
import type { PlanCore } from '../guard/plan-hash.ts'
import type { OperationSummary } from '../guard/stored-plan.ts'
import type { Intent } from '../protocols/intent.ts'
import type { Arrival } from '../store/journal/operation-types.ts'

/** The transactions of one chain and their intent. A leg without an intent has no transactions: it only waits for a delivery. */
export type ProposedLeg = {
  chainId: number
  intent: Intent | null
  transactions: readonly Transaction[]
  arrival?: Omit<Arrival, 'hash'>
}

/** A service's proposal for a request. `request` is what the idempotency key identifies. */
export type Proposal = {
  id: string
  kind: string
  request: unknown
  wallet: Address
  /** The pinned nonce of the first transaction; `null` if the chain decides. */
  nonce: number | null
  legs: readonly ProposedLeg[]
  about: OperationSummary
  quoteId: string | null
  /** The ISO time at which the proposal expires; `null` is never. */
  expiresAt: string | null
}

/** A service's answer as a command prepared it; the request, wallet and nonce are added later. */
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

/** The legs with something to sign. */
export const activeLegs = ({ legs }: Proposal): (ProposedLeg & { intent: Intent; at: number })[] =>
  legs.flatMap((leg, at) => (leg.intent ? [{ ...leg, intent: leg.intent, at }] : []))

/** What can be planned again: a leg with an unsigned step or a lost nonce, or only its fees, which are then payments. */
export type ReplannableLeg = { leg: number; chainId: number; intent: Intent; role?: 'fee' }

/** What an operation may be called: it stands in commands that are told to be typed, and may come from somebody else. */
export const operationIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
