import { parseAbi } from 'viem/utils'

/** QuoterV2 of `@uniswap/v3-periphery`, for eth_call: returns the other amount of a swap now. */
export const quoterV2Abi = parseAbi([
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutputSingle((address tokenIn, address tokenOut, uint256 amount, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountIn, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
])

/** The multicall with a deadline, which contains one swap. */
export const multicallAbi = parseAbi([
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
])
/** The swap functions that the multicall may contain. */
export const innerSwapsAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountIn)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)',
])

/**
 * The calls after a swap of the native coin: the router unwraps its wrapped coin to the recipient, or returns the unused coin to the sender
 * (IPeripheryPayments of `@uniswap/v3-periphery`).
 */
export const coinPaymentsAbi = parseAbi([
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
])

/**
 * The calls that pay a fee after a swap: the router pulls the amount from the sender, then sends its whole balance of the token to the
 * collector (IPeripheryPaymentsExtended of `@uniswap/swap-router-contracts` 1.3.1, and IPeripheryPayments). The router's balance is
 * otherwise zero; tokens that an account sent to the router by mistake go to the collector, too.
 */
export const feePaymentsAbi = parseAbi([
  'function pull(address token, uint256 value) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
])

/** The address constant for the router's caller (Constants.MSG_SENDER of `@uniswap/swap-router-contracts`). */
export const callerAddress = '0x0000000000000000000000000000000000000001'

/** The address constant for the router itself (Constants.ADDRESS_THIS of `@uniswap/swap-router-contracts`). */
export const routerItself = '0x0000000000000000000000000000000000000002'

/** The used functions of SwapRouter02 (`@uniswap/swap-router-contracts`). */
export const swapRouter02Abi = [
  ...multicallAbi,
  ...innerSwapsAbi,
  ...coinPaymentsAbi,
  ...feePaymentsAbi,
] as const

/** The getters by which factory, quoter and router identify themselves (`@uniswap/v3-core`, `v3-periphery` and `swap-router-contracts`). */
export const uniswapV3GettersAbi = parseAbi([
  'function feeAmountTickSpacing(uint24 fee) view returns (int24)',
  'function factory() view returns (address)',
  'function factoryV2() view returns (address)',
])
