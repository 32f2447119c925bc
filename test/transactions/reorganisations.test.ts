import { expect, it } from 'vitest'
import { reorgCampaign, reorgCell } from '../../bench/reorg.ts'

const cells = Array.from({ length: Number(process.env.SLUICE_CELLS ?? 40) }, (_, cell) => reorgCell(2, cell))

it('reorganisations of 1 to 64 blocks end in what the chain says', async () => {
  const all = await reorgCampaign(cells, {})
  expect(all).toHaveLength(cells.length)
  expect(all.filter(({ wrong }) => wrong.length > 0)).toEqual([])
}, 240_000)

it('a client that trusts the first receipt is found', async () => {
  // It is found at the first, whose payment then never comes to its end: that takes all of its time.
  const all = await reorgCampaign(cells.slice(0, 1), { sabotage: 'trust-first-receipt' })
  expect(all.some(({ wrong }) => wrong.length > 0)).toBe(true)
}, 240_000)
