import { loadavg } from 'node:os'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { type WebhookSabotage, webhookCampaign, webhookSabotages } from './webhooks.ts'

/*
 * Events of actions that change all the time, to receivers that fail 30 %, hang and cut connections, by four workers of which one is killed or stopped every
 * 2 s. One receiver refuses one action until all others have arrived, and another never answers. A cell is an event.
 * `npm run campaign:webhooks -- --cells 2000 --seed 1`
 *
 * With `--database postgres` over one PostgreSQL with pg-boss; some connections to it are cut at times.
 */

const {
  cells,
  seed,
  sabotage,
  database,
  instances,
  seconds: limit,
} = campaignArguments(2_000, 1, webhookSabotages)
const began = performance.now()
const { events, wrong } = await webhookCampaign({
  cells,
  seed,
  killMs: 2_000,
  database,
  ...(limit !== undefined && { seconds: limit }),
  ...(instances !== undefined && { workers: instances }),
  sabotage: sabotage as WebhookSabotage | undefined,
})
const seconds = (performance.now() - began) / 1_000
for (const line of wrong.slice(0, 10)) console.log(line)
console.log(`${database}: ${Math.round(events / seconds)} events a second, load ${loadavg()[0]!.toFixed(1)}`)
campaignEnds('webhooks', events, wrong.length, seed)
