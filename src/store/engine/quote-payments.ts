import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/**
 * A payment that ended a quote which begins on Bitcoin: an output of a Bitcoin transaction, or a payment on the chain that is paid out on.
 * `idx` is the index of the output, the place of the transfer among the logs of its receipt, or -1 for the coin that a transaction sends.
 */
export type QuotePayment = {
  kind: 'deposit' | 'payout' | 'refund'
  chainId: number
  hash: string
  idx: number
}

/** The same with the quote that it ended. */
export type TakenPayment = QuotePayment & { quoteId: string }

/** The table of payments that ended a quote. A payment ends one quote of a customer; `taken_at` is epoch ms. */
export const quotePaymentSchema = `create table quote_payments (
     customer text not null, chain_id bigint not null, hash text not null, idx integer not null, quote_id text not null references quotes (id),
     kind text not null, taken_at bigint not null, primary key (customer, chain_id, hash, idx));
   create index quote_payments_newest on quote_payments (customer, taken_at)`

/** The queries about payments that ended quotes. */
export const quotePaymentQueries = (sql: Sql) => ({
  /** The payments that ended quotes of a customer since a time. */
  paymentsSince: (customer: string, since: number): Promise<readonly TakenPayment[]> =>
    sql.cachedQuery<TakenPayment>(
      `select kind, chain_id as "chainId", hash, idx, quote_id as "quoteId" from quote_payments where customer = $1 and taken_at >= $2`,
      [customer, since],
    ),

  /**
   * Takes payments for a quote, those of a kind that it has none of yet. Returns the other quote that has one of them already, and then takes
   * none.
   */
  takePayments: (
    customer: string,
    quoteId: string,
    payments: readonly QuotePayment[],
    now: number,
  ): Promise<string | null> =>
    sql.transaction(async ({ query }) => {
      const has = await query<Pick<QuotePayment, 'kind'>>(
        'select kind from quote_payments where customer = $1 and quote_id = $2',
        [customer, quoteId],
      )
      const wanted = payments.filter(({ kind }) => !has.some((one) => one.kind === kind))
      for (const { chainId, hash, idx } of wanted) {
        const [taken] = await query<{ quoteId: string }>(
          'select quote_id as "quoteId" from quote_payments where customer = $1 and chain_id = $2 and hash = $3 and idx = $4',
          [customer, chainId, hash, idx],
        )
        if (taken) return taken.quoteId
      }
      for (const payment of wanted)
        await query(...insertOf('quote_payments', { customer, ...payment, quoteId, takenAt: now }))
      return null
    }),
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
