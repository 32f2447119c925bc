import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkUniswapV4Calldata } from './calldata-check.ts'
import { uniswapV4Contracts } from './constants-schema.ts'
import { exchangeOfV4, uniswapV4 as open } from './provider.ts'

/** Uniswap v4: same-chain swaps, also of the native coin, which its pools hold unwrapped. Tokens are paid through Permit2. */
export const uniswapV4 = poolSwapDefinition({
  contracts: uniswapV4Contracts,
  routerOf: ({ universalRouter }) => universalRouter,
  permit2Of: ({ permit2 }) => permit2,
  check: checkUniswapV4Calldata,
  exchange: exchangeOfV4,
  open,
})
