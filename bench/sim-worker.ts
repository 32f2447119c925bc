import { parentPort, workerData } from 'node:worker_threads'
import { simCell } from './sim.ts'
import { sabotages } from './sim-sabotage.ts'

// Every nth cell of a campaign, in a separate thread; failed cells are reported one by one, then the number of cells.
const { cells, seed, sabotage, first, every } = workerData as {
  cells: number
  seed: number
  sabotage: string | undefined
  first: number
  every: number
}
let played = 0
for (let cell = first; cell < cells; cell += every) {
  const found = await simCell(seed, cell, sabotage === undefined ? {} : sabotages[sabotage]!())
  played++
  if (found.wrong.length > 0) parentPort!.postMessage(found)
}
parentPort!.postMessage(played)
