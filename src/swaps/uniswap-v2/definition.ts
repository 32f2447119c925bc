import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkUniswapV2Calldata } from './calldata-check.ts'
import { exchangeOfV2, uniswapV2 as open } from './provider.ts'

/** Uniswap v2: same-chain swaps, also of the native coin. */
export const uniswapV2 = poolSwapDefinition({
  name: 'uniswap-v2',
  deployments: (catalog) => catalog.uniswapV2,
  routerOf: ({ router02 }) => router02,
  check: checkUniswapV2Calldata,
  exchange: exchangeOfV2,
  open,
})
