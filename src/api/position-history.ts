import { z } from 'zod'
import { Units } from '../domain/amount.ts'
import { historyStatuses, historyTypes, knownCasing } from './status-and-history-words.ts'
import { extension, isoTime, Numeric } from './wire-fields.ts'

/** An event of a wallet in a strategy. `amount` is in the smallest unit of the strategy's asset. */
const HistoryItem = z.object({
  txHash: z.string(),
  timestamp: z.string(),
  type: z.string(),
  amount: Units,
  status: z.string(),
})

/**
 * The history of a wallet in one strategy, newest first. `total`, `limit` and `isWhole` (on the wire `whole`) are extensions, `null` if a
 * deployment does not send them. `isWhole` is false if the events do not account for the wallet's whole position.
 */
export const History = z.codec(
  z.object({
    transactions: z.array(HistoryItem),
    page: Numeric,
    totalPages: Numeric,
    limit: extension(Numeric),
    total: extension(Numeric),
    whole: extension(z.boolean()),
  }),
  z.object({
    items: z.array(z.custom<z.output<typeof HistoryItem>>()),
    page: z.int(),
    limit: z.int().nullable(),
    total: z.int().nullable(),
    hasMore: z.boolean(),
    isWhole: z.boolean().nullable(),
  }),
  {
    decode: (wire) => ({
      items: wire.transactions.map((item) => ({
        ...item,
        timestamp: isoTime(item.timestamp) ?? item.timestamp,
        type: knownCasing(historyTypes, item.type),
        status: knownCasing(historyStatuses, item.status),
      })),
      page: Number(wire.page),
      limit: count(wire.limit),
      total: count(wire.total),
      hasMore: Number(wire.page) < Number(wire.totalPages),
      isWhole: wire.whole ?? null,
    }),
    encode: ({ items, page, limit, total, hasMore, isWhole }) => ({
      transactions: items,
      page,
      limit,
      total,
      whole: isWhole,
      totalPages: limit && total !== null ? Math.ceil(total / limit) : page + (hasMore ? 1 : 0),
    }),
  },
)
export type History = z.output<typeof History>

const count = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : Number(value)
