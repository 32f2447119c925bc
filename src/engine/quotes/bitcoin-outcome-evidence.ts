import type { QuotePayment } from '../../store/engine/quote-payments.ts'

/** What the chains show of an end that a provider tells. `payments` are those that end the quote, where any was seen. */
export type ShownOutcome = {
  status: string
  delivery: 'verified' | 'reported' | null
  note?: string
  payments?: readonly QuotePayment[]
}

/** An end that is not shown yet. */
export const outcomeNotShown = (note: string): ShownOutcome => ({
  status: 'processing',
  delivery: null,
  note,
})
