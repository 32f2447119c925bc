import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// False answers of a service in whole command lines: a command with an exit code below 20 must have signed nothing.
await vitestCampaign('hostile', {
  files: ['test/commands/hostile-service/false-answers.test.ts'],
  under: 'a hostile service that returns',
  ...campaignArguments(91),
})
