import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Transfers by every bridge to each of its destinations: exit code, situation in `action explain`, and exact balances on both chains.
const asked = campaignArguments(50, 60)
await vitestCampaign('bridge', {
  files: ['test/commands/swap/bridge-outcomes.test.ts'],
  under: 'final state of a bridge or ramp transfer',
  ...asked,
})
// The same for swaps that begin with a payment on Bitcoin.
await vitestCampaign('bridge-bitcoin', {
  files: ['test/commands/swap/bitcoin-deposit-outcomes.test.ts'],
  under: 'final state of a swap from Bitcoin',
  ...asked,
})
