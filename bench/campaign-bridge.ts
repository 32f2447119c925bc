import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Transfers by every bridge, to every end that it has: exit code, the word of explain, and what both chains show, to the unit.
await vitestCampaign('bridge', {
  file: 'test/commands/bridge-ends.test.ts',
  under: 'an end of a transfer',
  ...campaignArguments(50, 60),
})
