import { describe, expect, it } from 'vitest'
import { simCell } from '../../bench/sim.ts'
import type { Broken } from '../../bench/sim-run.ts'
import { sabotages } from '../../bench/sim-sabotage.ts'

const cells = Number(process.env.SLUICE_CELLS ?? 60)

/** Where to search for a sabotage: the seed, and a cell near one that is known to detect it. */
const seenAt = {
  'persist-after-send': [9, 0],
  'trust-first-receipt': [9, 5],
  'resign-on-nonce-low': [9, 14],
  'skip-lock': [9, 1_672],
  'trust-one-block': [9, 3],
  'trust-one-count': [9, 416],
  'reopen-by-one-node': [1, 344],
  'deadline-of-one-node': [9, 483],
  'pending-of-one-node': [9, 379],
} as const

/** Whether one of 600 cells of a seed detects an error; stops at the first one. */
async function isFound(seed: number, from: number, broken: () => Broken): Promise<boolean> {
  for (let cell = from; cell < from + 600; cell++)
    if ((await simCell(seed, cell, broken())).wrong.length > 0) return true
  return false
}

describe('operations on a simulated chain in virtual time with random faults', () => {
  it.each<[string, Broken]>([
    ['', {}],
    [' without reading ahead', { readsAhead: false }],
  ])('pay at most once, and end in the state that the journal records%s', async (_, how) => {
    const wrong = []
    for (let cell = 0; cell < cells; cell++) {
      const found = await simCell(11, cell, how)
      if (found.wrong.length > 0) wrong.push(found)
    }
    expect(wrong).toEqual([])
  })

  it('give the same result when a cell is run again', async () => {
    for (const cell of [3, 17, 42]) {
      const [first, again] = [await simCell(5, cell), await simCell(5, cell)]
      expect(first.told.length).toBeGreaterThan(0)
      expect(again).toEqual(first)
    }
  })

  it.each(Object.entries(seenAt))(
    'are reported as wrong under the sabotage %s',
    async (name, [seed, cell]) => {
      expect(
        await isFound(seed, cell, () => ({
          ...sabotages[name]!(),
          ...(name === 'skip-lock' && { mostEndpoints: 1 }),
        })),
      ).toBe(true)
    },
  )
})
