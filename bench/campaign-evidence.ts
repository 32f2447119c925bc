import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Actions under every fault of the sandbox: the evidence exported after each step verifies, and every state of an action is reached.
await vitestCampaign('evidence', {
  files: ['test/commands/action/verify-every-outcome.test.ts'],
  under: 'evidence of every outcome',
  ...campaignArguments(53, 1),
})
