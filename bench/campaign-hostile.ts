import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// False answers of a service in whole command lines: a command with an exit code below 20 must have signed nothing.
await vitestCampaign('hostile', {
  files: ['test/commands/hostile-service/false-answers.test.ts'],
  under: 'a hostile service that returns',
  ...campaignArguments(90),
})
// An order that is proposed again, or that its provider never made: the same, and nothing is approved.
await vitestCampaign('hostile-orders', {
  files: ['test/commands/hostile-service/used-orders.test.ts'],
  under: 'an order (that was used before|of Relay)',
  ...campaignArguments(17, 17),
  cells: 17,
})
