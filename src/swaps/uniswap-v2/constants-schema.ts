import { CatalogAddress } from '../../domain/address.ts'
import { CatalogHash, type RowOf, swapContracts, TokenList } from '../swap-contracts.ts'

const shape = {
  factory: CatalogAddress,
  router02: CatalogAddress,
  initCodeHash: CatalogHash,
  via: TokenList,
}

/** The contracts of Uniswap v2. */
export const uniswapV2Contracts = swapContracts('uniswap-v2', shape)

/**
 * The contracts of Uniswap v2, or of a fork, on a chain. `initCodeHash` gives the addresses of pairs; `via` are the tokens that a two-hop
 * path may pass through.
 */
export type UniswapV2Constants = RowOf<typeof uniswapV2Contracts>
