import type { Page } from '../api/page.ts'

/** The page requested of a list. */
export type PageRequest = { page?: number | undefined; limit?: number | undefined }

/** Returns one page of a list. */
export function pageOf<item>(items: readonly item[], { page = 1, limit = 10 }: PageRequest): Page<item> {
  const shown = items.slice((page - 1) * limit, page * limit)
  return { items: shown, page, limit, total: items.length, hasMore: page * limit < items.length }
}
