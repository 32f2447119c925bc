import { campaignArguments, campaignEnds } from './arguments.ts'
import { limitsCell, sabotages } from './limits.ts'
import { instanceSabotages, instancesCell } from './limits-of-instances.ts'

/*
 * The real limits of an API key, 100 requests in any minute and 1,000 in any hour, at a server over real HTTP that restarts
 * at times, with a simulated clock. `npm run campaign:limits -- --cells 100 --seed 1`
 *
 * With `--instances 4`: as many processes over one PostgreSQL, killed at times, with the clock of the database and windows of 3 s and 33 s;
 * with `--seconds 200` besides, for so long with the real windows.
 */

const { cells, seed, cell, sabotage, instances, seconds } = campaignArguments(50, 1, [
  ...sabotages,
  ...instanceSabotages,
])
let wrong = 0
for (const at of cell === undefined ? Array.from({ length: cells }, (_, each) => each) : [cell]) {
  const found =
    instances === undefined
      ? await limitsCell(seed, at, sabotage as (typeof sabotages)[number] | undefined)
      : await instancesCell(instances, seed, at, { sabotage, realSeconds: seconds })
  if (found.length > 0) wrong++
  for (const line of found.slice(0, 3)) console.log(line)
}
campaignEnds('limits', cell === undefined ? cells : 1, wrong, seed)
