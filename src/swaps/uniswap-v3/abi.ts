import { parseAbi } from 'viem/utils'

/** QuoterV2 of `@uniswap/v3-periphery`: called with eth_call, it tells what a swap would bring now. */
export const quoterV2Abi = parseAbi([
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutputSingle((address tokenIn, address tokenOut, uint256 amount, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountIn, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
])

/** The factory: the pool of two tokens in a fee tier, or the zero address. */
export const uniswapV3FactoryAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
])

/** The multicall with a deadline that carries one swap. */
export const outer = parseAbi([
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
])
/** The swaps that the multicall may carry. */
export const inner = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountIn)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)',
])

/**
 * What follows a swap of the native coin (IPeripheryPayments of `@uniswap/v3-periphery`): the wrapped coin that the router holds is
 * unwrapped to the recipient, or the coin that was not needed goes back to the sender.
 */
export const payments = parseAbi([
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
])

/**
 * What pays a fee of a token after a swap: the router takes the amount from the sender, and gives all that it holds of the token to the
 * collector (IPeripheryPaymentsExtended of `@uniswap/swap-router-contracts` 1.3.1, and IPeripheryPayments). A router holds nothing between
 * two calls; if somebody sent it some of the token, the collector gets that, too.
 */
export const feePayments = parseAbi([
  'function pull(address token, uint256 value) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
])

/** The recipient that stands for the router itself (Constants.ADDRESS_THIS of `@uniswap/swap-router-contracts`). */
export const routerItself = '0x0000000000000000000000000000000000000002'

/** The parts of SwapRouter02 (`@uniswap/swap-router-contracts`) that are used here. */
export const swapRouter02Abi = [...outer, ...inner, ...payments, ...feePayments] as const
