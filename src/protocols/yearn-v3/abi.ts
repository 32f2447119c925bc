import { parseAbi } from 'viem/utils'

/** The withdrawals with a limit on the loss. */
export const exits = parseAbi([
  'function withdraw(uint256 assets, address receiver, address owner, uint256 max_loss) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner, uint256 max_loss) returns (uint256)',
])

/** The largest accepted loss of a withdrawal, in basis points: the cost of rounding between strategies. */
export const maxLoss = 1n
