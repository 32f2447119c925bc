import { parseAbi } from 'viem/utils'
import { type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { vaultTellers } from '../shared/vault-call-tellers.ts'

/** The cooldown of sUSDe (`ethena-labs/bbp-public-assets`, StakedUSDeV2.sol). */
const cooldown = parseAbi([
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
  'function unstake(address receiver)',
])

/** What calls of sUSDe do: those of a vault, and its cooldown. */
export const ethenaTellers = (entry: StrategyEntry): readonly Teller[] => {
  const [asset, share] = [entry.asset.address, entry.receipt.address]
  return [
    ...vaultTellers(entry),
    teller(cooldown, 'cooldownAssets', 'withdraw', ([assets], say) => ({
      text: `starts the cooldown of ${say.upTo(asset, assets)} of ${entry.name}; it is claimed later`,
    })),
    teller(cooldown, 'cooldownShares', 'withdraw', ([shares], say) => ({
      text: `starts the cooldown of ${say.upTo(share, shares)} of ${entry.name}; ${say.token(asset)} is claimed later`,
      gives: [{ token: share, units: shares }],
    })),
    teller(cooldown, 'unstake', 'claim', ([receiver], say) => ({
      text: `claims the ${say.token(asset)} whose cooldown ended${say.toWhom(receiver)}; the amount is not in the call`,
      holders: [receiver],
    })),
  ]
}
