import { z } from 'zod'
import { Missing } from './missing-networks.ts'
import { anyShape, Numeric } from './wire-fields.ts'

/**
 * A page of a list. The backend counts `total` and `hasMore`. `missing` names the networks that did not answer; no page contains their
 * items.
 */
export type Page<item> = {
  items: item[]
  page: number
  limit: number
  total: number
  hasMore: boolean
  missing?: string[] | undefined
}

const count = z.union([z.number(), z.null(), z.string()]).optional()

const pageCounts = {
  page: count,
  limit: count,
  totalPages: count,
  hasMore: z.boolean().optional(),
}

/** All envelopes of the specification, because deployments differ. */
function envelopes<item extends z.ZodType>(item: item, writes: number) {
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
      totalRecords: count,
      offset: count,
      ...pageCounts,
      total: count,
      hasPrevPage: z.boolean().optional(),
      hasNextPage: z.boolean().optional(),
      prevPage: count,
      nextPage: count,
    }),
  })
  const flat = z.object({ data: z.array(item), total: Numeric, ...pageCounts })
  return anyShape([reference, nested, flat], writes)
}

type Envelope<item extends z.ZodType> = z.output<ReturnType<typeof envelopes<item>>>

function read<item extends z.ZodType>(wire: Envelope<item>): Page<z.output<item>> {
  const items = ('docs' in wire ? wire.docs : wire.data) as z.output<item>[]
  const paging =
    'docs' in wire
      ? { ...wire, total: wire.totalDocs }
      : 'pagination' in wire
        ? { ...wire.pagination, total: wire.pagination.total ?? wire.pagination.totalRecords }
        : wire
  const page = Number(paging.page ?? 1)
  const limit = Number(paging.limit ?? items.length)
  const total = Number(paging.total ?? items.length)
  const more =
    'hasMore' in paging && paging.hasMore !== undefined
      ? paging.hasMore
      : 'hasNextPage' in paging && paging.hasNextPage !== undefined
        ? paging.hasNextPage
        : page * limit < total
  return { items, page, limit, total, hasMore: more }
}

const pageSchema = <item extends z.ZodType>(_item: item) =>
  z.object({
    items: z.array(z.custom<z.output<item>>()),
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    hasMore: z.boolean(),
    missing: Missing,
  })

const pages = (total: number, limit: number) => (limit > 0 ? Math.ceil(total / limit) : 0)

/** A page of `item` on the wire: reads every envelope and writes `docs`/`totalDocs` (the reference form). */
export function PageOf<item extends z.ZodType>(item: item) {
  return z.codec(envelopes(item, 0), pageSchema(item), {
    decode: (wire) => read<item>(wire as never) as never,
    encode: ({ items, page, limit, total, hasMore }) => ({
      docs: items as never,
      totalDocs: total,
      limit,
      page,
      totalPages: pages(total, limit),
      hasNextPage: hasMore,
      hasPrevPage: page > 1,
    }),
  })
}

/** A page in the older envelope: reads every envelope and writes `data` with `pagination`. */
export function OlderPageOf<item extends z.ZodType>(item: item) {
  return z.codec(envelopes(item, 1), pageSchema(item), {
    decode: (wire) => read<item>(wire as never) as never,
    encode: ({ items, page, limit, total, hasMore }) => ({
      data: items as never,
      pagination: {
        totalRecords: total,
        offset: (page - 1) * limit,
        limit,
        totalPages: pages(total, limit),
        page,
        hasPrevPage: page > 1,
        hasNextPage: hasMore,
        prevPage: page > 1 ? page - 1 : null,
        nextPage: hasMore ? page + 1 : null,
      },
    }),
  })
}

/** A page in the envelope of the quickstart: reads every envelope and writes `data` with `pagination` (`total`, `totalPages`, `hasMore`). */
export function QuickstartPageOf<item extends z.ZodType>(item: item) {
  return z.codec(envelopes(item, 1), pageSchema(item), {
    decode: (wire) => read<item>(wire as never) as never,
    encode: ({ items, page, limit, total, hasMore }) => ({
      data: items as never,
      pagination: { page, limit, total, totalPages: pages(total, limit), hasMore },
    }),
  })
}

/** The requested page of a list. */
export type PageRequest = { page?: number | undefined; limit?: number | undefined }

/** Returns one page of filtered and sorted rows. With `all`, one page contains every row. */
export function pageOf<row>(
  rows: readonly row[],
  { page = 1, limit = 10, all = false }: PageRequest & { all?: boolean },
): Page<row> {
  if (all) return { items: [...rows], page: 1, limit: rows.length, total: rows.length, hasMore: false }
  const items = rows.slice((page - 1) * limit, page * limit)
  return { items, page, limit, total: rows.length, hasMore: page * limit < rows.length }
}
