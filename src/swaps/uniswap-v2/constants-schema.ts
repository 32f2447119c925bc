import { CatalogAddress } from '../../domain/address.ts'
import { CatalogHash, CatalogTokens, type RowOf, swapContracts } from '../swap-contracts.ts'

const shape = {
  factory: CatalogAddress,
  router02: CatalogAddress,
  initCodeHash: CatalogHash,
  via: CatalogTokens,
}

/** The contracts of a fork of Uniswap v2, by its provider name. */
export const uniswapV2ContractsNamed = <const name extends string>(name: name) => swapContracts(name, shape)

export const uniswapV2Contracts = uniswapV2ContractsNamed('uniswap-v2')

/**
 * The contracts of Uniswap v2, or of a fork, on a chain. `initCodeHash` gives the addresses of pairs; `via` are the tokens that a two-hop
 * path may pass through.
 */
export type UniswapV2Constants = RowOf<typeof uniswapV2Contracts>
