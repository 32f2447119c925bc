import { z } from 'zod'

import { Units } from '../domain/amount.ts'
import { maybe, Numeric } from './wire.ts'

/** One event of a wallet in a strategy. `amount` is in the smallest unit of the strategy's asset. */
const HistoryItem = z.object({
  txHash: z.string(),
  timestamp: z.string(),
  type: z.string(),
  amount: Units,
  status: z.string(),
})

/** The history of a wallet in one strategy, newest first; `total` and `limit` are ours. */
export const History = z.codec(
  z.object({
    transactions: z.array(HistoryItem),
    page: Numeric,
    totalPages: Numeric,
    limit: maybe(Numeric),
    total: maybe(Numeric),
  }),
  z.object({
    items: z.array(z.custom<z.output<typeof HistoryItem>>()),
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    hasMore: z.boolean(),
  }),
  {
    decode: (wire) => {
      const limit = Number(wire.limit ?? wire.transactions.length)
      return {
        items: wire.transactions,
        page: Number(wire.page),
        limit,
        total: Number(
          wire.total ??
            (Number(wire.totalPages) <= 1 ? wire.transactions.length : Number(wire.totalPages) * limit),
        ),
        hasMore: Number(wire.page) < Number(wire.totalPages),
      }
    },
    encode: ({ items, page, limit, total }) => ({
      transactions: items,
      page,
      limit,
      total,
      totalPages: limit > 0 ? Math.ceil(total / limit) : 0,
    }),
  },
)
export type History = z.output<typeof History>
