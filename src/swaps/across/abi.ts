import { parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'

/** Value of `exclusiveRelayer` that lets any relayer fill the deposit. */
export const anyRelayer: Hex = `0x${'00'.repeat(32)}`

/** The deposit function of SpokePool, which starts a transfer (`@across-protocol/contracts` 5.0.27). */
export const depositAbi = parseAbi([
  'function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
])

/** The older form of the same function, with 20-byte accounts, which services still propose (the same package). */
export const depositV3Abi = parseAbi([
  'function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
])

/** The reads and events of SpokePool for deposits, fills and refunds (the same package). */
export const spokePoolAbi = parseAbi([
  'struct RelayExecution { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
  'function getCurrentTime() view returns (uint256)',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, RelayExecution relayExecutionInfo)',
  'event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)',
])

/** Value of `fillStatuses` for a filled deposit (FillStatus.Filled of V3SpokePoolInterface). */
export const filledStatus = 2n

/**
 * The longest offset of an exclusivity, in seconds; a larger parameter is a time (MAX_EXCLUSIVITY_PERIOD_SECONDS of SpokePool.sol, the same
 * package).
 */
const longestOffset = 31_536_000

/** The longest time during which one relayer alone may fill a deposit, in seconds. */
const longestExclusivity = 600

/**
 * A fault of an exclusivity, as the rest of a sentence about the deposit: a parameter without a relayer, which the pool refuses, or more than
 * ten minutes. The parameter is 0 (none), an offset in seconds, or a time in Unix seconds.
 */
export function exclusivityFault({
  exclusiveRelayer,
  exclusivityParameter: alone,
  quoteTimestamp,
}: {
  exclusiveRelayer: Hex
  exclusivityParameter: number
  quoteTimestamp: number
}): string | undefined {
  if (alone === 0) return undefined
  if (BigInt(exclusiveRelayer) === 0n) return 'names no relayer for its exclusivity'
  const seconds = alone > longestOffset ? alone - quoteTimestamp : alone
  return seconds > longestExclusivity
    ? `lets only ${exclusiveRelayer} fill it for more than ${longestExclusivity} s`
    : undefined
}

/**
 * How long a deposit may be filled after the deadline of its quote, in seconds. A longer window delays the refund; relayers usually need
 * seconds. A pool accepts fill deadlines up to six hours ahead (`fillDeadlineBuffer`, 21,600 s on Ethereum).
 */
export const fillWindow = 3_600
