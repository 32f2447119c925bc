import { parseAbi } from 'viem/utils'

/** The cooldown of sUSDe (source: ethena-labs/bbp-public-assets, StakedUSDeV2.sol). */
export const ethenaAbi = parseAbi([
  'function cooldowns(address owner) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
  'function cooldownDuration() view returns (uint24)',
])

/** The functions that begin the cooldown. */
export const exits = parseAbi([
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
])
/** The function that pays out after the cooldown. */
export const claims = parseAbi(['function unstake(address receiver)'])
