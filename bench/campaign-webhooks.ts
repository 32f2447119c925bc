import { campaignArguments, campaignEnds } from './arguments.ts'
import { type WebhookSabotage, webhookCampaign, webhookSabotages } from './webhooks.ts'

/*
 * Events of actions that change all the time, to receivers that fail 30 %, hang and cut connections, by two workers of which one is killed or stopped every
 * 2 s. A cell is an event. `npm run campaign:webhooks -- --cells 2000 --seed 1`
 */

const { cells, seed, sabotage } = campaignArguments(2_000, 1, webhookSabotages)
const { events, wrong } = await webhookCampaign({
  cells,
  seed,
  killMs: 2_000,
  sabotage: sabotage as WebhookSabotage | undefined,
})
for (const line of wrong.slice(0, 10)) console.log(line)
campaignEnds('webhooks', events, wrong.length, seed)
