import type { Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import type { Token } from '../../domain/token.ts'

/** The function of the PSM that swaps an exact input. */
export const swaps = parseAbi([
  'function swapExactIn(address assetIn, address assetOut, uint256 amountIn, uint256 minAmountOut, address receiver, uint256 referralCode) returns (uint256 amountOut)',
])

/** PSM3 and the oracle of its rate (sources: sparkdotfi/spark-psm, IPSM3.sol; sparkdotfi/xchain-ssr-oracle, ISSROracle.sol). */
export const psm3Abi: Abi = [
  ...swaps,
  ...parseAbi([
    'function previewSwapExactIn(address assetIn, address assetOut, uint256 amountIn) view returns (uint256 amountOut)',
    'function getConversionRate() view returns (uint256)',
    'function getSSR() view returns (uint256)',
    'function usdc() view returns (address)',
    'function susds() view returns (address)',
    'function pocket() view returns (address)',
    'function totalAssets() view returns (uint256)',
    'event Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode)',
  ]),
]

/** The asset and the receipt of the market. */
export type PsmTokens = { asset: Token; receipt: Token }
