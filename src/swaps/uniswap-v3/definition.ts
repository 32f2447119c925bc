import { poolSwapDefinition } from '../pool-swap-definition.ts'
import type { SwapContracts } from '../swap-contracts.ts'
import { checkUniswapV3Calldata } from './calldata-check.ts'
import { pancakeSwapV3Contracts, type UniswapV3Constants, uniswapV3Contracts } from './constants-schema.ts'
import { exchangeOfV3, uniswapV3 as openProvider } from './provider.ts'

/** Defines a provider for Uniswap v3, or for a fork with the same quoter and router functions. `exchange` is its name in texts. */
const likeUniswapV3 = <name extends string, file>(
  contracts: SwapContracts<UniswapV3Constants, name, file>,
  exchange: string,
) =>
  poolSwapDefinition({
    contracts,
    routerOf: ({ swapRouter02 }) => swapRouter02,
    check: (transaction, intent, here, wrapped) =>
      checkUniswapV3Calldata(transaction, intent, { ...here, exchange, wrapped }),
    exchange: ({ quoterV2 }, { data }) => exchangeOfV3(quoterV2, data),
    open: (here, read, wrappedOn) => openProvider(contracts.name, here, read, wrappedOn),
  })

/** Uniswap v3: same-chain swaps, also of the native coin. */
export const uniswapV3 = likeUniswapV3(uniswapV3Contracts, 'Uniswap v3')

/**
 * PancakeSwap v3, a fork with a fee tier of 0.25 %. Its SmartRouter has the functions of SwapRouter02, its quoter those of QuoterV2
 * (source: the ABIs of `@pancakeswap/smart-router` 7.7.3 and `@pancakeswap/v3-sdk` 3.10.2).
 */
export const pancakeSwapV3 = likeUniswapV3(pancakeSwapV3Contracts, 'PancakeSwap v3')
