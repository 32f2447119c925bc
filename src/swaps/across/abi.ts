import { parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'

/** As `exclusiveRelayer`: any relayer may fill the deposit. */
export const anyone: Hex = `0x${'00'.repeat(32)}`

/** The deposit that sends tokens to another chain (SpokePool of `@across-protocol/contracts` 5.0.27). */
export const depositAbi = parseAbi([
  'function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
])

/** What is read of a SpokePool, and what it tells of deposits, fills and refunds (the same package). */
export const spokePoolAbi = parseAbi([
  'struct RelayExecution { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
  'function getCurrentTime() view returns (uint256)',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, RelayExecution relayExecutionInfo)',
  'event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)',
])

/** `fillStatuses` of a deposit that was paid out (FillStatus.Filled of V3SpokePoolInterface). */
export const filled = 2n

/**
 * For how long after the deadline of its quote a deposit may be filled, in seconds. It is paid back only after that, so that more time is
 * not always better; relayers usually need seconds. A pool takes deadlines up to six hours away (`fillDeadlineBuffer`, 21,600 s on Ethereum).
 */
export const fillWindow = 3_600
