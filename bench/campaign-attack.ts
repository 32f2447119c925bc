import { parseArgs } from 'node:util'
import { campaignEnds } from './arguments.ts'
import { attackCell, sabotages } from './attack.ts'

// Honest plans and plans with many changes, judged by the guard in this process without a network.
const { values } = parseArgs({
  options: {
    cells: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    cell: { type: 'string' },
    sabotage: { type: 'string' },
  },
})
const [cells, seed] = [Number(values.cells), Number(values.seed)]
if (![cells, seed].every((number) => Number.isSafeInteger(number) && number >= 0))
  throw new Error('--cells and --seed are whole numbers')
const judge = values.sabotage === undefined ? undefined : sabotages[values.sabotage]
if (values.sabotage !== undefined && !judge)
  throw new Error(`--sabotage is one of ${Object.keys(sabotages).join(', ')}`)

const counts = new Map<string, { cells: number; passed: number }>()
const wrong: number[] = []
const range =
  values.cell === undefined
    ? { from: 0, to: cells }
    : { from: Number(values.cell), to: Number(values.cell) + 1 }
for (let cell = range.from; cell < range.to; cell++) {
  const found = attackCell(cell, seed, judge)
  const count = counts.get(found.kind) ?? { cells: 0, passed: 0 }
  counts.set(found.kind, { cells: count.cells + 1, passed: count.passed + (found.passed ? 1 : 0) })
  if (found.wrong !== undefined) {
    wrong.push(cell)
    if (wrong.length <= 20)
      console.log(
        `wrong: cell ${cell} (${found.kind}): ${found.wrong}; again: npm run campaign:attack -- --seed ${seed} --cell ${cell}`,
      )
  } else if (values.cell !== undefined)
    console.log(`cell ${cell} (${found.kind}): ${found.passed ? 'passed' : 'refused'}, rightly`)
}
for (const [kind, { cells, passed }] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${kind.padEnd(28)} ${String(cells).padStart(8)} cells ${String(passed).padStart(8)} passed`)
campaignEnds('attack', range.to - range.from, wrong.length, seed)
