import { describe, expect, it } from 'vitest'
import { simCell } from '../../bench/sim.ts'
import type { Broken } from '../../bench/sim-run.ts'
import { sabotages } from '../../bench/sim-sabotage.ts'

const cells = Number(process.env.SLUICE_CELLS ?? 200)

/** How many of the first cells of a seed are wrong, or 1 as soon as there is one. */
async function wrongIn(seed: number, most: number, broken: () => Broken): Promise<number> {
  for (let cell = 0; cell < most; cell++) if ((await simCell(seed, cell, broken())).wrong.length > 0) return 1
  return 0
}

describe('operations on a model chain, in virtual time, with everything going wrong', () => {
  it('pay once or not at all, and end as the journal says', async () => {
    const wrong = []
    for (let cell = 0; cell < cells; cell++) {
      const found = await simCell(11, cell)
      if (found.wrong.length > 0) wrong.push(found)
    }
    expect(wrong).toEqual([])
  }, 240_000)

  it('are the same when a cell is played again', async () => {
    for (const cell of [3, 17, 42]) {
      const [first, again] = [await simCell(5, cell), await simCell(5, cell)]
      expect(first.told.length).toBeGreaterThan(0)
      expect(again).toEqual(first)
    }
  })

  it.each(Object.entries(sabotages))('are found wrong under %s', async (_, broken) => {
    expect(await wrongIn(9, 600, broken)).toBe(1)
  })
})
