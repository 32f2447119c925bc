import type { QuotePayment, TakenPayment } from '../../store/engine/quote-payments.ts'

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

/** The other quote that a payment has ended. */
export type TakenBy = (payment: Omit<QuotePayment, 'kind'>) => string | undefined

/** Finds the other quote that a payment has ended, among the payments that are taken. */
export const takenByOther =
  (taken: readonly TakenPayment[], quoteId: string): TakenBy =>
  ({ chainId, hash, idx }) =>
    taken.find(
      (one) => one.chainId === chainId && one.hash === hash && one.idx === idx && one.quoteId !== quoteId,
    )?.quoteId
