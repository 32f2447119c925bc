import type { QuotePayment } from '../../store/engine/quote-payments.ts'

/** The chain evidence for an outcome that a provider reports. `payments` are the payments that prove it, if seen. */
export type OutcomeEvidence = {
  status: string
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
