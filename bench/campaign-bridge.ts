import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Transfers over the bridge, fast and standard: both hashes, the right amount, the right recipient.
await vitestCampaign('bridge', {
  file: 'test/engine/bridge.test.ts',
  under: 'a transfer to the other chain',
  ...campaignArguments(50, 50),
  fixedSeed: 50,
})
