import { expect, it } from 'vitest'
import { killMatrix } from '../../bench/matrix.ts'
import { matrix, shuffledMatrix } from '../../bench/matrix-data.ts'

const shuffled = shuffledMatrix(3).map((one, cell) => ({ ...one, cell }))
const cells = shuffled.slice(0, Number(process.env.SLUICE_CELLS ?? 20))

it('the kill matrix has at least 4,800 distinct cells', () => {
  expect(new Set(matrix.map((cell) => JSON.stringify(cell))).size).toBeGreaterThanOrEqual(4_800)
})

it('payments are made exactly once after SIGKILL at any point with a faulty node', async () => {
  const all = await killMatrix(cells, {})
  expect(all).toHaveLength(cells.length)
  expect(all.filter(({ wrong }) => wrong.length > 0)).toEqual([])
})

it.each([
  ['persist-after-send', 'hang', 'a transaction was sent that was not in the journal'],
  ['resign-on-nonce-low', 'error-nonce-low', 'arrived, and'],
] as const)(
  'the kill matrix detects the sabotage %s',
  async (sabotage, act, wrong) => {
    const sends = shuffled.filter(({ rule }) => rule.act === act).slice(0, 6)
    const all = await killMatrix(sends, { sabotage })
    expect(all.flatMap((killed) => killed.wrong)).toContainEqual(expect.stringContaining(wrong))
  },
  240_000,
)
