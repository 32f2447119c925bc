import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Random swaps: what comes out is what the provider's own contracts say in the same block, and never below the minimum.
await vitestCampaign('swaps', {
  file: 'test/engine/quotes/swap-quotes.test.ts',
  under: 'a random swap',
  ...campaignArguments(500, 20260101),
})
