import type { UniswapV3Constants } from '../../swaps/uniswap-v3/constants-schema.ts'
import type { Deployer } from './deployer.ts'
import type { ChainParameters } from './parameters.ts'
import type { DeployedTokens } from './tokens.ts'
import { deployV3, type V3Pool } from './uniswap-v3.ts'

/** Tick spacing by fee tier of PancakeSwap v3 (`TICK_SPACINGS` of `@pancakeswap/v3-sdk` 3.10.2). */
const forkSpacing: Record<number, number> = { 100: 1, 500: 10, 2500: 50, 10000: 200 }

/** One pool with the best price of its pair, and a high-fee pool that connects other assets to it. */
const forkPools: readonly V3Pool[] = [
  { pair: ['USDT', 'WBTC'], fee: 2500, usdEachSide: 10_000_000n },
  { pair: ['USDT', 'WETH'], fee: 10000, usdEachSide: 1_000_000n },
]

/**
 * Deploys the Uniswap v3 contracts again with the fee tiers of PancakeSwap v3, whose own quoter and router are in no
 * package.
 */
export const deployPancakeSwap = (
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
): UniswapV3Constants =>
  deployV3(d, parameters, tokens, { spacing: forkSpacing, pools: forkPools, via: ['USDT', 'WETH'] })
