import { z } from 'zod'

import { Numeric } from './wire.ts'

/** One page of a list. `total` and `hasMore` count what the backend counts. */
export type Page<item> = { items: item[]; page: number; limit: number; total: number; hasMore: boolean }

const count = z.union([z.number(), z.null(), z.string()]).optional()

/**
 * A page of `item` on the wire. Deployments disagree on the envelope; every one of the specification
 * is read, and `docs`/`totalDocs` (the reference form) is written.
 */
export function PageOf<item extends z.ZodType>(item: item) {
  const reference = z.object({
    docs: z.array(item),
    totalDocs: Numeric,
    limit: Numeric,
    page: Numeric,
    totalPages: count,
    hasNextPage: z.boolean().optional(),
    hasPrevPage: z.boolean().optional(),
  })
  const nested = z.object({
    data: z.array(item),
    pagination: z.object({
      page: count,
      limit: count,
      total: count,
      totalRecords: count,
      totalPages: count,
      hasMore: z.boolean().optional(),
      hasNextPage: z.boolean().optional(),
    }),
  })
  const flat = z.object({
    data: z.array(item),
    total: Numeric,
    page: count,
    limit: count,
    totalPages: count,
    hasMore: z.boolean().optional(),
  })
  const ours = z.object({
    items: z.array(z.custom<z.output<item>>()),
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    hasMore: z.boolean(),
  })
  return z.codec(z.union([reference, nested, flat]), ours, {
    decode: (wire) => {
      const items = ('docs' in wire ? wire.docs : wire.data) as z.output<item>[]
      const about =
        'docs' in wire
          ? { ...wire, total: wire.totalDocs }
          : 'pagination' in wire
            ? { ...wire.pagination, total: wire.pagination.total ?? wire.pagination.totalRecords }
            : wire
      const page = Number(about.page ?? 1)
      const limit = Number(about.limit ?? items.length)
      const total = Number(about.total ?? items.length)
      const more =
        'hasMore' in about && about.hasMore !== undefined
          ? about.hasMore
          : 'hasNextPage' in about && about.hasNextPage !== undefined
            ? about.hasNextPage
            : page * limit < total
      return { items, page, limit, total, hasMore: more }
    },
    encode: ({ items, page, limit, total, hasMore }) => ({
      docs: items as never,
      totalDocs: total,
      limit,
      page,
      totalPages: limit > 0 ? Math.ceil(total / limit) : 0,
      hasNextPage: hasMore,
      hasPrevPage: page > 1,
    }),
  })
}
