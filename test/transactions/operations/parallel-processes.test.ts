import { afterAll, beforeAll, expect, it } from 'vitest'
import { inParallel, parallelCell } from '../../../bench/parallel.ts'
import { type Chain, startChain } from '../../support/anvil.ts'

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

it.each([
  ['that run one operation execute it once', 0],
  ['that run one operation each for one wallet execute four with consecutive nonces', 1],
  ['that run one operation execute it once when one process is killed', 2],
  ['that run one operation each execute all four when one process is killed', 3],
])('four processes %s', async (_, cell) => {
  // `npm run campaign:parallel` uses eight processes.
  const four = { ...parallelCell(4, cell), processes: 4 }
  expect((await inParallel(four, 4, chain)).wrong).toEqual([])
})

it('the campaign detects processes that take no lock', async () => {
  const wrong = []
  for (const cell of [5, 9, 13])
    if (wrong.length === 0)
      wrong.push(...(await inParallel(parallelCell(4, cell), 4, chain, 'skip-lock')).wrong)
  expect(wrong.length).toBeGreaterThan(0)
})
