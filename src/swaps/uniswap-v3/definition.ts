import { sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import { wrappedOn } from '../../protocols/prices.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { bindUniswapV3 } from './binding.ts'
import { exchangeOfV3 } from './exchange.ts'
import { uniswapV3 as openProvider } from './provider.ts'

const contractsOn = ({ uniswapV3 }: Catalog, chainId: number) =>
  uniswapV3.find((entry) => entry.chainId === chainId)

/** Uniswap v3: swaps on one chain, also of the native coin. */
export const uniswapV3: SwapDefinition = {
  name: 'uniswap-v3',
  reach: 'same-chain',
  proof: provedByCalldata,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.swapRouter02,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.swapRouter02],
        bind: (transaction) =>
          bindUniswapV3(transaction, intent, constants, wrappedOn(catalog, intent.tokenIn.chainId)),
      }
    )
  },
  exchange: (catalog, { chainId, to, data }) => {
    const constants = contractsOn(catalog, chainId)
    return constants && sameAddress(to, constants.swapRouter02)
      ? exchangeOfV3(constants.quoterV2, data)
      : undefined
  },
  open: (catalog, { read }) =>
    openProvider(catalog.uniswapV3, read, ({ chainId }) => wrappedOn(catalog, chainId)),
}
