import { loadavg } from 'node:os'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { failoverCampaign } from './failover.ts'
import { type FailoverSabotage, failoverSabotages } from './failover-sabotage.ts'

/*
 * Four `sluice serve` over one PostgreSQL, under clients that write and try again with their idempotency keys, while instances are killed or stopped,
 * connections are cut, and PostgreSQL is restarted. A cell is a write. `npm run campaign:failover -- --cells 60 --seed 1`
 */

const { cells, seed, seconds, instances, sabotage } = campaignArguments(60, 1, failoverSabotages)
const { writes, accepted, faults, wrong } = await failoverCampaign({
  ...{ cells, seed, seconds },
  everyMs: 6_000,
  ...(instances !== undefined && { instances }),
  sabotage: sabotage as FailoverSabotage | undefined,
})
for (const line of wrong.slice(0, 10)) console.log(line)
console.log(
  `${accepted} of ${writes} writes accepted; ${JSON.stringify(faults)}; load ${loadavg()[0]!.toFixed(1)}`,
)
campaignEnds('failover', writes, wrong.length, seed)
