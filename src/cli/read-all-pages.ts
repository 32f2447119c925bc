import { isDeepStrictEqual } from 'node:util'
import type { List } from './output/view-types.ts'

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
