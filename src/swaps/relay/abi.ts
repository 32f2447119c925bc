import { parseAbi, parseAbiParameters } from 'viem/utils'

/**
 * The deposits that name their depositor, amount and order (RelayDepository.sol of relayprotocol/relay-depository). The one that takes the
 * whole allowance is not among them.
 */
export const depositoryAbi = parseAbi([
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'function depositNative(address depositor, bytes32 id) payable',
])

/** What the depository tells of deposits (the same source). Nothing is indexed. */
export const depositoryEvents = parseAbi([
  'event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)',
  'event RelayNativeDeposit(address from, uint256 amount, bytes32 id)',
])

/** What the contract that a solver pays the native coin by tells of it (the oracle of relayprotocol/relay-protocol-oracle reads it). */
export const fillContractEvents = parseAbi(['event SolverNativeTransfer(address to, uint256 amount)'])

/**
 * The terms of an order that stand behind the call of a deposit, which passes them over: what of the order nobody knows who was not told
 * it. Relay tracks a deposit by the number of its order, whatever follows the call (relay-docs, builder-codes).
 */
export const termsParameters = parseAbiParameters([
  'Terms terms',
  'struct Terms { bytes32 requestId; uint256 salt; uint256 minimum; uint256 expected; uint32 deadline; bytes extraData; Refund[] refunds; }',
  'struct Refund { uint256 chainId; address recipient; address currency; uint256 minimum; uint32 deadline; bytes extraData; }',
])

/** For how long after the deadline of its quote an order may be filled at most, in seconds. Relay gives its solver a week. */
export const longestWindow = 8 * 86_400
