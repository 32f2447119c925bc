import { expect, test } from 'vitest'
import { allPages } from '../../src/cli/read-all-pages.ts'

const page = (items: bigint[], hasMore: boolean) => ({ items, page: 1, limit: 100, total: null, hasMore })

test('allPages reads a list page by page to its end', async () => {
  const pages = [page([1n, 2n], true), page([3n], false)]
  expect(await allPages(async (at) => pages[at - 1]!)).toEqual([1n, 2n, 3n])
})

test('allPages stops when a page repeats the one before it', async () => {
  let asked = 0
  const rows = await allPages(async () => {
    if (++asked > 5) throw new Error('asked too often')
    return page([1n, 2n], true)
  })
  expect({ rows, asked }).toEqual({ rows: [1n, 2n], asked: 2 })
})
