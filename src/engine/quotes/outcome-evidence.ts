import type { QuotePayment } from '../../store/engine/quote-payments.ts'

/**
 * The chain evidence for an outcome that a provider reports. `payments` are the payments that prove it, if seen. `reported` is
 * an outcome that cannot be checked; its status is `reported`.
 */
export type OutcomeEvidence = {
  status: string
  reported?: string
  /** The payout was seen, and is less than the agreed minimum. */
  arrivedShort?: true
  delivery: 'verified' | 'reported' | null
  note?: string
  payments?: readonly QuotePayment[]
}

/** The result for an outcome without evidence so far. */
export const outcomeNotShown = (note: string): OutcomeEvidence => ({
  status: 'processing',
  delivery: null,
  note,
})

/** The result for an outcome that cannot be checked here. */
export const outcomeReported = (word: string, note: string): OutcomeEvidence => ({
  status: 'reported',
  reported: word,
  delivery: 'reported',
  note,
})
