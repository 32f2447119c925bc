import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, swapContracts, TokenList } from '../swap-contracts.ts'

const shape = {
  factory: CatalogAddress,
  quoterV2: CatalogAddress,
  swapRouter02: CatalogAddress,
  feeTiers: z.array(z.int().positive()).min(1),
  via: TokenList,
}

/** The contracts of Uniswap v3. */
export const uniswapV3Contracts = swapContracts('uniswap-v3', shape)

/** The contracts of PancakeSwap v3, a fork of Uniswap v3; the router is its SmartRouter. */
export const pancakeSwapV3Contracts = swapContracts('pancakeswap-v3', shape)

/** The contracts of Uniswap v3, or of a fork, on a chain. `via` are the tokens that a two-hop path may pass through. */
export type UniswapV3Constants = RowOf<typeof uniswapV3Contracts>
