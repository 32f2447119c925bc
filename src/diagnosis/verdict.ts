import type { Facts } from './facts/facts.ts'

/** Something that a verdict stands on, and who says it. */
export type EvidenceLine = { source: 'journal' | 'chain' | 'service'; text: string }

/** The situations that an action can be in, one word each. */
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
  | 'CHAIN_SILENT'
  | 'WRONG_CHAIN'
  | 'QUOTE_OPEN'
  | 'QUOTE_DEAD'
  | 'FOREIGN'
  | 'JOURNAL_DAMAGED'

/**
 * What `action explain` answers: what happened and where the funds are, one sentence each or two. `safeToRetry` says
 * whether the same may be asked for anew, as another action, without any danger of paying twice. `next` is a command.
 */
export type Verdict = {
  id: string
  situation: Situation
  verdict: string
  funds: string
  safeToRetry: boolean
  next: string | null
  evidence: EvidenceLine[]
}

/** One situation: when it is the one, and what is said then. The first row that fits is taken. */
export type DiagnosisRule = {
  situation: Situation
  is: (facts: Facts) => boolean
  verdict: (facts: Facts) => string
  funds: (facts: Facts) => string
  safeToRetry: (facts: Facts) => boolean
  next: (facts: Facts) => string | null
}

/** For a situation in which another action for the same could pay twice. */
export const neverSafe = (): boolean => false
