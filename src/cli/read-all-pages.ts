import { isDeepStrictEqual } from 'node:util'
import type { AppError } from '../domain/errors.ts'
import type { List } from './output/view-types.ts'

/** Reads every page of a paged endpoint, with the largest page size. Stops if a page repeats. */
export const allPages = async <row>(
  ask: (page: number, limit: number) => Promise<List<row>>,
): Promise<row[]> => (await firstPages((page) => ask(page, 100), Number.POSITIVE_INFINITY)).rows

/** Reads pages of at most 100 rows until there are `most` rows; `isCut` if there are more. Stops if a page repeats. */
export async function firstPages<row>(
  ask: (page: number) => Promise<List<row>>,
  most: number,
): Promise<{ rows: row[]; isCut: boolean }> {
  const rows: row[] = []
  let before: readonly row[] = []
  for (let page = 1; ; page++) {
    const answer = await ask(page)
    if (page > 1 && isDeepStrictEqual(answer.items, before)) return { rows, isCut: false }
    before = answer.items
    rows.push(...answer.items)
    if (!answer.hasMore || answer.items.length === 0) return { rows, isCut: false }
    if (rows.length >= most) return { rows, isCut: true }
  }
}

/** Whether a deployment has no such endpoint: it answers 404, 405 or 501. */
export const isWithoutList = ({ code }: AppError): boolean =>
  code === 'NOT_FOUND' || code === 'ACTION_NOT_FOUND' || code === 'METHOD_NOT_ALLOWED'
