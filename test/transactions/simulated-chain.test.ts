import { describe, expect, it } from 'vitest'
import { simCell } from '../../bench/sim.ts'
import type { Broken } from '../../bench/sim-run.ts'
import { sabotages } from '../../bench/sim-sabotage.ts'

const cells = Number(process.env.SLUICE_CELLS ?? 100)

/** Where the search for what a sabotage breaks begins: a cell that shows it soon, as the campaign found. */
const firstCell: Readonly<Record<string, number>> = { 'trust-first-receipt': 5, 'skip-lock': 2_298 }

/** Whether one of some cells of a seed is wrong; no more are played once there is one. */
async function isFound(seed: number, from: number, broken: () => Broken): Promise<boolean> {
  for (let cell = from; cell < from + 600; cell++)
    if ((await simCell(seed, cell, broken())).wrong.length > 0) return true
  return false
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

  it.each(Object.entries(sabotages))('are found wrong under %s', async (name, broken) => {
    expect(await isFound(9, firstCell[name] ?? 0, broken)).toBe(true)
  })
})
