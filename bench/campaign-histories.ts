import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAnvil } from '../src/sandbox/anvil.ts'
import { startWorld } from '../src/sandbox/world.ts'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { historyCell } from './histories.ts'
import { actsOf } from './history-acts.ts'
import { sabotages } from './history-sabotage.ts'
import { historyWorld, slugs } from './history-world.ts'

/*
 * Deposits, withdrawals, share transfers, losses and time in any order on real contracts: principal plus profit equals the value exactly,
 * compared with a replay of the token transfers, and the performance fees are 5 % of the profit that left, to the unit. `npm run campaign:histories -- --cells 200 --seed 1`
 */

const { cells, seed, cell: only, sabotage } = campaignArguments(200, 1, sabotages)
const { SLUICE_ANVIL: explicit, PATH: path } = process.env
const dir = mkdtempSync(join(tmpdir(), 'sluice-histories-'))
const world = await startWorld({
  binary: findAnvil({ ...(explicit ? { explicit } : {}), ...(path ? { path } : {}) }),
  cacheDir: dir,
  noteDir: dir,
})
try {
  for (const { rpc } of world.chains) await rpc.request('evm_mine')
  const ground = await historyWorld(world)
  const numbers = only === undefined ? Array.from({ length: cells }, (_, at) => at) : [only]
  let wrong = 0
  for (const cell of numbers) {
    const found = await historyCell(ground, actsOf(seed, cell, slugs.length), sabotage)
    if (found.length === 0) continue
    wrong++
    const replay = `--seed ${seed} --cell ${cell}${sabotage === undefined ? '' : ` --sabotage ${sabotage}`}`
    console.log(`${found.slice(0, 3).join('\n')}\n  npm run campaign:histories -- ${replay}`)
  }
  campaignEnds('histories', numbers.length, wrong, seed)
} finally {
  await world.stop()
  rmSync(dir, { recursive: true, force: true })
}
