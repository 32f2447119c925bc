import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkUniswapV2Calldata } from './calldata-check.ts'
import { uniswapV2Contracts } from './constants-schema.ts'
import { exchangeOfV2, uniswapV2 as open } from './provider.ts'

/** Uniswap v2: same-chain swaps, also of the native coin. */
export const uniswapV2 = poolSwapDefinition({
  contracts: uniswapV2Contracts,
  routerOf: ({ router02 }) => router02,
  check: checkUniswapV2Calldata,
  exchange: exchangeOfV2,
  open,
})
