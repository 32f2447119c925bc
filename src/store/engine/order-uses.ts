import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/** The table of orders that quotes use. An order belongs to one quote, whoever its customer is. `taken_at` is epoch ms. */
export const orderUseSchema = `create table order_uses (
     order_id text primary key, quote_id text not null, taken_at bigint not null)`

/** The queries about orders. */
export const orderUseQueries = (sql: Sql) => ({
  /** Takes an order for a quote. False if it belongs to another quote. */
  takeOrder: (orderId: string, quoteId: string, now: number): Promise<boolean> =>
    sql.transaction(async ({ query }) => {
      await query(
        ...insertOf('order_uses', { orderId, quoteId, takenAt: now }, 'on conflict (order_id) do nothing'),
      )
      const [taken] = await query<{ quoteId: string }>(
        'select quote_id as "quoteId" from order_uses where order_id = $1',
        [orderId],
      )
      return taken?.quoteId === quoteId
    }),
})
