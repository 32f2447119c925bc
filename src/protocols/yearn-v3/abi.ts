import { parseAbi } from 'viem/utils'

/** The functions that leave a vault with a bound on the loss. */
export const exits = parseAbi([
  'function withdraw(uint256 assets, address receiver, address owner, uint256 max_loss) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner, uint256 max_loss) returns (uint256)',
])

/** The largest loss that leaving a vault takes, in basis points: what rounding between its strategies can cost, and no more. */
export const maxLoss = 1n
