import { parseAbi, parseAbiParameters } from 'viem/utils'

/**
 * The deposits that contain depositor, amount and order id (RelayDepository.sol of relayprotocol/relay-depository). The deposit of the
 * whole allowance is left out.
 */
export const depositoryAbi = parseAbi([
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'function depositNative(address depositor, bytes32 id) payable',
])

/** The depository's events for deposits (the same source). No argument is indexed. */
export const depositoryEvents = parseAbi([
  'event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)',
  'event RelayNativeDeposit(address from, uint256 amount, bytes32 id)',
])

/** The event of the contract through which a solver pays the native coin (relayprotocol/relay-protocol-oracle reads it). */
export const fillContractEvents = parseAbi(['event SolverNativeTransfer(address to, uint256 amount)'])

/**
 * The order terms that follow a deposit's calldata; the depository ignores them. They are the parts of the order that the call does not
 * contain. Relay tracks a deposit by its order id, whatever follows the call (relay-docs, builder-codes).
 */
export const termsParameters = parseAbiParameters([
  'Terms terms',
  'struct Terms { bytes32 requestId; uint256 salt; uint256 minimum; uint256 expected; uint32 deadline; bytes extraData; Refund[] refunds; }',
  'struct Refund { uint256 chainId; address recipient; address currency; uint256 minimum; uint32 deadline; bytes extraData; }',
])

/** The longest time that an order may be filled after the deadline of its quote, in seconds. Relay gives its solver a week. */
export const longestWindow = 8 * 86_400
