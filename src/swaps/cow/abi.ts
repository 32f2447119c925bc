import { parseAbi } from 'viem/utils'

/** The pre-signature of an order (GPv2Settlement of `@cowprotocol/contracts` 1.8.0): its owner alone may give it, or take it back. */
export const preSignatureAbi = parseAbi(['function setPreSignature(bytes orderUid, bool signed)'])

/**
 * What is read of the settlement, and what it tells of trades (the same package). `filledAmount` is in units of the side that the order
 * fixes, and the largest number for an order that its owner made invalid.
 */
export const settlementAbi = parseAbi([
  'function filledAmount(bytes orderUid) view returns (uint256)',
  'function preSignature(bytes orderUid) view returns (uint256)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event PreSignature(address indexed owner, bytes orderUid, bool signed)',
])

/**
 * For how long after the deadline of its quote an order may be filled, in seconds. Its allowance and its pre-signature must be mined
 * first, and solvers then need some auctions.
 */
export const orderWindow = 1_800
