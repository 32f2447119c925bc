import { parseAbi } from 'viem/utils'

/** The swap functions of UniswapV2Router02 (`@uniswap/v2-periphery`); `to` receives the output, `deadline` is in Unix seconds. */
export const swapsAbi = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)',
])

/** The router's reads of all amounts along a path, with fees, from the pairs' reserves. */
export const amountsAbi = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
])

/** The used functions of UniswapV2Router02. */
export const uniswapV2RouterAbi = [...swapsAbi, ...amountsAbi] as const

/** A pair's read of its reserves; token0 has the lower address. */
export const uniswapV2PairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
])

/** The getters by which router and factory identify themselves (`@uniswap/v2-periphery`, `@uniswap/v2-core`). */
export const uniswapV2GettersAbi = parseAbi([
  'function factory() view returns (address)',
  'function allPairsLength() view returns (uint256)',
])
