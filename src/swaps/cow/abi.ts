import { parseAbi } from 'viem/utils'

/** The pre-signature of an order, which only its owner can set or revoke (GPv2Settlement of `@cowprotocol/contracts` 1.8.0). */
export const preSignatureAbi = parseAbi(['function setPreSignature(bytes orderUid, bool signed)'])

/**
 * The reads and events of the settlement (the same package). `filledAmount` is in units of the order's fixed side, and the maximum uint256
 * for an order that its owner invalidated.
 */
export const settlementAbi = parseAbi([
  'function filledAmount(bytes orderUid) view returns (uint256)',
  'function preSignature(bytes orderUid) view returns (uint256)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event PreSignature(address indexed owner, bytes orderUid, bool signed)',
])

/**
 * How long an order may be filled after the deadline of its quote, in seconds. The allowance and the pre-signature must be mined first, and
 * solvers then need several auctions.
 */
export const orderWindow = 1_800
