import { CatalogAddress } from '../../domain/address.ts'
import { CatalogTokens, type RowOf, swapContracts } from '../swap-contracts.ts'

export const uniswapV4Contracts = swapContracts('uniswap-v4', {
  poolManager: CatalogAddress,
  quoter: CatalogAddress,
  stateView: CatalogAddress,
  universalRouter: CatalogAddress,
  permit2: CatalogAddress,
  via: CatalogTokens,
})

/**
 * The contracts of Uniswap v4 on a chain. The router takes tokens through Permit2; `via` are the tokens, beside the native coin, that a
 * two-hop path may pass through.
 */
export type UniswapV4Constants = RowOf<typeof uniswapV4Contracts>
