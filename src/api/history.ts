import { z } from 'zod'

import { Units } from '../domain/amount.ts'
import { isoTime, Numeric, ours } from './wire.ts'
import { historyStatuses, historyTypes, ourWord } from './words.ts'

/** One event of a wallet in a strategy. `amount` is in the smallest unit of the strategy's asset. */
const HistoryItem = z.object({
  txHash: z.string(),
  timestamp: z.string(),
  type: z.string(),
  amount: Units,
  status: z.string(),
})

/** The history of a wallet in one strategy, newest first; `total` and `limit` are ours, and `null` where a deployment does not send them. */
export const History = z.codec(
  z.object({
    transactions: z.array(HistoryItem),
    page: Numeric,
    totalPages: Numeric,
    limit: ours(Numeric),
    total: ours(Numeric),
  }),
  z.object({
    items: z.array(z.custom<z.output<typeof HistoryItem>>()),
    page: z.int(),
    limit: z.int().nullable(),
    total: z.int().nullable(),
    hasMore: z.boolean(),
  }),
  {
    decode: (wire) => ({
      items: wire.transactions.map((item) => ({
        ...item,
        timestamp: isoTime(item.timestamp) ?? item.timestamp,
        type: ourWord(historyTypes, item.type),
        status: ourWord(historyStatuses, item.status),
      })),
      page: Number(wire.page),
      limit: count(wire.limit),
      total: count(wire.total),
      hasMore: Number(wire.page) < Number(wire.totalPages),
    }),
    encode: ({ items, page, limit, total, hasMore }) => ({
      transactions: items,
      page,
      limit,
      total,
      totalPages: limit && total !== null ? Math.ceil(total / limit) : page + (hasMore ? 1 : 0),
    }),
  },
)
export type History = z.output<typeof History>

const count = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : Number(value)
