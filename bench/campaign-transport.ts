import { failoverRpc } from '../src/chain/rpc/failover.ts'
import { startChain } from '../test/support/anvil.ts'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { transportCell } from './transport.ts'
import { sabotages } from './transport-sabotage.ts'

// Random faults between client and real node: no wrong result, no second send, no endless wait, no unexpected error.
const { cells, seed, cell: only, sabotage } = campaignArguments(300, 1, Object.keys(sabotages))
const open = sabotage === undefined ? failoverRpc : sabotages[sabotage]!
/** A node slows down as its chain grows. */
const cellsPerNode = 2_000

let wrong = 0
let ran = 0
const wanted = only === undefined ? Array.from({ length: cells }, (_, cell) => cell) : [only]
for (let from = 0; from < wanted.length; from += cellsPerNode) {
  const chain = await startChain()
  try {
    for (const cell of wanted.slice(from, from + cellsPerNode)) {
      const done = await transportCell(chain.url, open, seed, cell)
      ran++
      if (done.wrong.length === 0 && only === undefined) continue
      if (done.wrong.length > 0) wrong++
      const replay = `--seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
      console.log(
        `${done.wrong.join('; ') || 'right'}\n  ${done.told}\n  npm run campaign:transport -- ${replay}`,
      )
    }
  } finally {
    await chain.stop()
  }
}
campaignEnds('transport', ran, wrong, seed)
process.exit()
