import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { type SimCell, simCell } from './sim.ts'
import { sabotages } from './sim-sabotage.ts'

// Operations on a simulated chain in virtual time, with random faults, orders and process deaths; the balances are checked at the end.
const { cells, seed, cell: only, sabotage } = campaignArguments(50_000, 1, Object.keys(sabotages))
/** The number of failed cells printed in full. */
const mostTold = 20

let wrong = 0
let played = 0
const tell = ({ cell, told, wrong: what }: SimCell) => {
  const replay = `--seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
  console.log(`${what.join('; ') || 'right'}\n  ${told.join('\n  ')}\n  npm run campaign:sim -- ${replay}`)
}
const found = (cell: SimCell) => {
  if (++wrong <= mostTold) tell(cell)
}

if (only !== undefined) {
  const cell = await simCell(seed, only, sabotage === undefined ? {} : sabotages[sabotage]!())
  played = 1
  if (cell.wrong.length > 0) found(cell)
  else tell(cell)
} else {
  const every = Math.max(1, Math.min(availableParallelism(), cells))
  await Promise.all(
    Array.from({ length: every }, (_, first) => {
      const worker = new Worker(new URL('sim-worker.ts', import.meta.url), {
        workerData: { cells, seed, sabotage, first, every },
      })
      worker.on('message', (message: SimCell | number) => {
        if (typeof message === 'number') played += message
        else found(message)
      })
      // A failed worker fails the campaign.
      return new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))
    }),
  )
}
campaignEnds('sim', played, wrong, seed)
