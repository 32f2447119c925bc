import { parseAbi, parseAbiParameters } from 'viem/utils'

/** The call without a deadline (`@uniswap/universal-router` 2.0.0, Dispatcher.json). */
export const undated = parseAbi(['function execute(bytes commands, bytes[] inputs) payable'])

/** The amount that means the router's balance (ActionConstants.CONTRACT_BALANCE of the `v4-periphery` inside the same package). */
export const routerBalance = 2n ** 255n

const permit = '(address token, uint160 amount, uint48 expiration, uint48 nonce)'

/** Inputs of commands, by their byte (the same package, Commands.sol and Dispatcher.sol). */
export const inputs = {
  0: parseAbiParameters(
    'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser',
  ),
  1: parseAbiParameters(
    'address recipient, uint256 amountOut, uint256 amountInMax, bytes path, bool payerIsUser',
  ),
  6: parseAbiParameters('address token, address recipient, uint256 bips'),
  8: parseAbiParameters(
    'address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser',
  ),
  9: parseAbiParameters(
    'address recipient, uint256 amountOut, uint256 amountInMax, address[] path, bool payerIsUser',
  ),
  10: parseAbiParameters(
    `(${permit} details, address spender, uint256 sigDeadline) permitSingle, bytes signature`,
  ),
  3: parseAbiParameters(
    `(${permit}[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature`,
  ),
  11: parseAbiParameters('address recipient, uint256 amount'),
  12: parseAbiParameters('address recipient, uint256 amountMin'),
  13: parseAbiParameters('(address from, address to, uint160 amount, address token)[] batch'),
  14: parseAbiParameters('address owner, address token, uint256 minBalance'),
} as const

const poolKey = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey'

/** Parameters of further v4 actions, by their byte (Actions.sol, IV4Router.sol and CalldataDecoder.sol of the `v4-periphery` inside the same package). */
export const v4 = {
  6: parseAbiParameters(
    `(${poolKey}, bool zeroForOne, uint128 amountIn, uint128 amountOutMinimum, bytes hookData) swap`,
  ),
  8: parseAbiParameters(
    `(${poolKey}, bool zeroForOne, uint128 amountOut, uint128 amountInMaximum, bytes hookData) swap`,
  ),
  15: parseAbiParameters('address currency, uint256 minAmount'),
  16: parseAbiParameters('address currency, address recipient, uint256 bips'),
} as const
