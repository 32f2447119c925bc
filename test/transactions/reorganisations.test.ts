import { expect, it } from 'vitest'
import { reorgCampaign, reorgCell } from '../../bench/reorg.ts'

const cells = Array.from({ length: Number(process.env.SLUICE_CELLS ?? 40) }, (_, cell) => reorgCell(2, cell))

it('payments agree with the chain after reorganisations of 1 to 64 blocks', async () => {
  const all = await reorgCampaign(cells, {})
  expect(all).toHaveLength(cells.length)
  expect(all.filter(({ wrong }) => wrong.length > 0)).toEqual([])
})

it('the campaign detects a client that trusts the first receipt', async () => {
  // The first cell already shows it: its payment never ends, which uses up its whole time limit.
  const all = await reorgCampaign(cells.slice(0, 1), { sabotage: 'trust-first-receipt' })
  expect(all.some(({ wrong }) => wrong.length > 0)).toBe(true)
})
