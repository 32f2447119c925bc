import { afterAll, expect, inject, test } from 'vitest'
import { killCampaign } from '../../bench/kill.ts'
import { programHome } from '../support/spawn-program.ts'

const home = programHome(inject('sandboxCache'))
afterAll(() => home.end())

test('deposits killed at random times and resumed are made exactly once', async () => {
  const cells = Number(process.env.SLUICE_CELLS ?? 3)
  const all = await killCampaign(home, { cells, seed: 7 })
  expect(all).toHaveLength(cells)
  expect(all.filter(({ wrong }) => wrong.length > 0)).toEqual([])
})
