import type { Catalog, UniswapV3Constants } from '../../protocols/catalog-types.ts'
import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkUniswapV3Calldata } from './calldata-check.ts'
import { exchangeOfV3, uniswapV3 as openProvider } from './provider.ts'

/** Defines a provider for Uniswap v3, or for a fork with the same quoter and router functions. `exchange` is its name in texts. */
const likeUniswapV3 = (
  name: string,
  exchange: string,
  deployments: (catalog: Catalog) => readonly UniswapV3Constants[],
) =>
  poolSwapDefinition({
    name,
    deployments,
    routerOf: ({ swapRouter02 }) => swapRouter02,
    check: (transaction, intent, here, wrapped) =>
      checkUniswapV3Calldata(transaction, intent, { ...here, exchange, wrapped }),
    exchange: ({ quoterV2 }, { data }) => exchangeOfV3(quoterV2, data),
    open: (here, read, wrappedOn) => openProvider(name, here, read, wrappedOn),
  })

/** Uniswap v3: same-chain swaps, also of the native coin. */
export const uniswapV3 = likeUniswapV3('uniswap-v3', 'Uniswap v3', (catalog) => catalog.uniswapV3)

/**
 * PancakeSwap v3, a fork with a fee tier of 0.25 %. Its SmartRouter has the functions of SwapRouter02, its quoter those of QuoterV2
 * (source: the ABIs of `@pancakeswap/smart-router` 7.7.3 and `@pancakeswap/v3-sdk` 3.10.2).
 */
export const pancakeSwapV3 = likeUniswapV3(
  'pancakeswap-v3',
  'PancakeSwap v3',
  (catalog) => catalog.pancakeSwapV3,
)
