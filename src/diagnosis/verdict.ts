import type { TransactionJson } from './calls/call-json.ts'
import type { Facts } from './facts/operation-facts-types.ts'

/** A piece of evidence for a verdict, and its source. */
export type EvidenceLine = { source: 'journal' | 'chain' | 'service'; text: string }

/** The situations of an operation, one word each. */
export type Situation =
  | 'NOTHING_SIGNED'
  | 'DROPPED'
  | 'SIGNED_NOT_SENT'
  | 'SENT_NOT_SEEN'
  | 'WAITING'
  | 'FEE_TOO_LOW'
  | 'REFUSED'
  | 'BEHIND_ANOTHER'
  | 'DEADLINE_PASSED'
  | 'CANCELLING'
  | 'MINED_NOT_FINAL'
  | 'MINED_UNNOTICED'
  | 'REORGED'
  | 'REOPENED'
  | 'PARTLY_DONE'
  | 'QUOTE_EXPIRED'
  | 'REVERTED_PRICE'
  | 'REVERTED_DEADLINE'
  | 'REVERTED_PAUSED'
  | 'REVERTED_GAS'
  | 'REVERTED'
  | 'FAILED'
  | 'SUPERSEDED'
  | 'NONCE_TAKEN_NOT_FINAL'
  | 'CANCELLED'
  | 'GIVEN_UP'
  | 'DONE'
  | 'BRIDGE_WAITING'
  | 'BRIDGE_STUCK'
  | 'BRIDGE_UNDELIVERED'
  | 'BRIDGE_DELIVERED'
  | 'BRIDGE_SHORT'
  | 'BRIDGE_EXPIRED'
  | 'ORDER_OPEN'
  | 'ORDER_UNFILLED'
  | 'BRIDGE_REFUNDED'
  | 'RAMP_WAITING'
  | 'RAMP_STUCK'
  | 'CHAIN_SILENT'
  | 'WRONG_CHAIN'
  | 'QUOTE_OPEN'
  | 'QUOTE_DEAD'
  | 'FOREIGN'
  | 'JOURNAL_DAMAGED'

/**
 * The answer of `action explain`: what happened and where the funds are, in one or two sentences each. `safeToRetry`: the same may
 * be requested again, as another action, without any danger of paying twice. `next` is a command.
 */
export type Verdict = {
  id: string
  situation: Situation
  verdict: string
  funds: string
  safeToRetry: boolean
  next: string | null
  evidence: EvidenceLine[]
  /** A transaction of another machine: its call, and what it moved. */
  transaction?: TransactionJson
}

/** One rule: when its situation applies, and the message for it. The first match counts. */
export type DiagnosisRule = {
  situation: Situation
  is: (facts: Facts) => boolean
  verdict: (facts: Facts) => string
  funds: (facts: Facts) => string
  safeToRetry: (facts: Facts) => boolean
  next: (facts: Facts) => string | null
}

/** For situations in which a repeated request could pay twice. */
export const neverSafe = (): boolean => false
