import { afterAll, beforeAll, expect, it } from 'vitest'
import { inParallel, parallelCell } from '../../../bench/parallel.ts'
import { type Chain, startChain } from '../../support/anvil.ts'

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

it.each([
  ['with one operation make one execution', 0],
  ['with an operation each of one wallet make four, with dense nonces', 1],
  ['of which one is killed make one execution of one operation', 2],
  ['of which one is killed make four of four', 3],
])('four processes %s', async (_, cell) => {
  // Eight of them are npm run campaign:parallel.
  const four = { ...parallelCell(4, cell), processes: 4 }
  expect((await inParallel(four, 4, chain)).wrong).toEqual([])
})

it('processes that take no lock are found', async () => {
  const wrong = []
  for (const cell of [5, 9, 13])
    if (wrong.length === 0)
      wrong.push(...(await inParallel(parallelCell(4, cell), 4, chain, 'skip-lock')).wrong)
  expect(wrong.length).toBeGreaterThan(0)
})
