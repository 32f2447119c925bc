import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { CatalogTokens, type RowOf, swapContracts } from '../swap-contracts.ts'

const shape = {
  factory: CatalogAddress,
  quoterV2: CatalogAddress,
  swapRouter02: CatalogAddress,
  feeTiers: z.array(z.int().positive()).min(1),
  via: CatalogTokens,
}

/** The contracts of a fork of Uniswap v3, by its provider name. */
export const uniswapV3ContractsNamed = <const name extends string>(name: name) => swapContracts(name, shape)

export const uniswapV3Contracts = uniswapV3ContractsNamed('uniswap-v3')

/** The contracts of PancakeSwap v3, a fork of Uniswap v3; the router is its SmartRouter. */
export const pancakeSwapV3Contracts = uniswapV3ContractsNamed('pancakeswap-v3')

/** The contracts of Uniswap v3, or of a fork, on a chain. `via` are the tokens that a two-hop path may pass through. */
export type UniswapV3Constants = RowOf<typeof uniswapV3Contracts>
