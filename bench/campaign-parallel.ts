import { startChain } from '../test/support/anvil.ts'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { inParallel, parallelCell } from './parallel.ts'

// Eight concurrent processes on one operation or on one wallet; in half of the cells one of them is killed by SIGKILL.
const { cells, seed, cell: only, sabotage } = campaignArguments(50, 1, ['skip-lock'])
const numbers = only === undefined ? Array.from({ length: cells }, (_, cell) => cell) : [only]
/** A node slows down as its chain grows. */
const cellsPerNode = 100

let wrong = 0
let ran = 0
for (let from = 0; from < numbers.length; from += cellsPerNode) {
  const chain = await startChain()
  try {
    for (const cell of numbers.slice(from, from + cellsPerNode)) {
      const done = await inParallel(parallelCell(seed, cell), seed, chain, sabotage)
      ran++
      if (done.wrong.length > 0) wrong++
      if (done.wrong.length === 0 && only === undefined) continue
      const replay = `--seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
      console.log(
        `${done.wrong.join('; ') || 'right'}\n  ${done.told}\n  npm run campaign:parallel -- ${replay}`,
      )
    }
  } finally {
    await chain.stop()
  }
}
campaignEnds('parallel', ran, wrong, seed)
