import { sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { wrappedOn } from '../../protocols/prices.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { bindUniswapV2 } from './binding.ts'
import { exchangeOfV2, uniswapV2 as openProvider } from './provider.ts'

const contractsOn = ({ uniswapV2 }: Catalog, chainId: number) =>
  uniswapV2.find((entry) => entry.chainId === chainId)

/** Uniswap v2: swaps on one chain, also of the native coin. */
export const uniswapV2: SwapDefinition = {
  name: 'uniswap-v2',
  reach: 'same-chain',
  proof: provedByCalldata,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.router02,
  expect: (catalog, intent) => {
    const { chainId } = intent.tokenIn
    const constants = contractsOn(catalog, chainId)
    return (
      constants && {
        targets: [constants.router02],
        bind: (transaction) => bindUniswapV2(transaction, intent, constants, wrappedOn(catalog, chainId)),
      }
    )
  },
  exchange: (catalog, transaction) => {
    const constants = contractsOn(catalog, transaction.chainId)
    return constants && sameAddress(transaction.to, constants.router02)
      ? exchangeOfV2(constants, transaction)
      : undefined
  },
  open: (catalog, { read }) =>
    openProvider(catalog.uniswapV2, read, ({ chainId }) => wrappedOn(catalog, chainId)),
}
