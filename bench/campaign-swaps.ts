import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Random swaps: the output equals the result of the provider's contracts in the same block, and is never below the minimum.
await vitestCampaign('swaps', {
  file: 'test/engine/quotes/swap-quotes.test.ts',
  under: 'a random swap',
  ...campaignArguments(500, 20260101),
})
