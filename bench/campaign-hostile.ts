import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Whatever a service may slip into its answers, as whole command lines: what ends below 20 has signed nothing.
await vitestCampaign('hostile', {
  file: 'test/commands/hostile-service.test.ts',
  under: 'a hostile service that returns',
  ...campaignArguments(91),
})
