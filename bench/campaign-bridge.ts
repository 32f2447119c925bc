import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// Transfers by every bridge, to every end that it has: exit code, the word of explain, and what both chains show, to the unit.
const asked = campaignArguments(50, 60)
await vitestCampaign('bridge', {
  file: 'test/commands/swap/bridge-outcomes.test.ts',
  under: 'final state of a bridge or ramp transfer',
  ...asked,
})
// Swaps that begin with a payment on Bitcoin, likewise.
await vitestCampaign('bridge-bitcoin', {
  file: 'test/commands/swap/bitcoin-deposit-outcomes.test.ts',
  under: 'final state of a swap from Bitcoin',
  ...asked,
})
