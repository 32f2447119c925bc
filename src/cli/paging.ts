import { isDeepStrictEqual } from 'node:util'
import type { List } from './output/view.ts'

/** A page of a list of this program, from all rows: filters and sorting run before paging. */
export function pageOf<row>(
  rows: readonly row[],
  { page = 1, limit = 10, all = false }: { page?: number; limit?: number; all?: boolean },
): List<row> {
  if (all) return { items: [...rows], page: 1, limit: rows.length, total: rows.length, hasMore: false }
  return {
    items: rows.slice((page - 1) * limit, page * limit),
    page,
    limit,
    total: rows.length,
    hasMore: page * limit < rows.length,
  }
}

/** Reads every page of a paged endpoint, with the largest page size. Stops if a page repeats. */
export async function allPages<row>(
  ask: (page: number, limit: number) => Promise<List<row>>,
): Promise<row[]> {
  const rows: row[] = []
  let before: readonly row[] = []
  for (let page = 1; ; page++) {
    const answer = await ask(page, 100)
    if (page > 1 && isDeepStrictEqual(answer.items, before)) return rows
    before = answer.items
    rows.push(...answer.items)
    if (!answer.hasMore || answer.items.length === 0) return rows
  }
}
