import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Random swaps: the output equals the result of the provider's contracts in the same block, and is never below the minimum; and whatever
// any provider offers, with any service fees, is accepted by guard and simulation.
await vitestCampaign('swaps', {
  files: ['test/engine/quotes/swap-quotes.test.ts', 'test/commands/swap/honest-offers.test.ts'],
  under: 'a random swap',
  ...campaignArguments(500, 20260101),
})
