import { sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { wrappedOn } from '../../protocols/prices.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { bindUniswapV4 } from './binding.ts'
import { exchangeOfV4, uniswapV4 as openProvider } from './provider.ts'

const contractsOn = ({ uniswapV4 }: Catalog, chainId: number) =>
  uniswapV4.find((entry) => entry.chainId === chainId)

/** Uniswap v4: swaps on one chain, also of the native coin, which its pools hold as it is. Tokens are paid through Permit2. */
export const uniswapV4: SwapDefinition = {
  name: 'uniswap-v4',
  reach: 'same-chain',
  proof: provedByCalldata,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.permit2,
  callee: (catalog, chainId) => contractsOn(catalog, chainId)?.universalRouter,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.universalRouter],
        bind: (transaction) => bindUniswapV4(transaction, intent, constants),
      }
    )
  },
  exchange: (catalog, transaction) => {
    const constants = contractsOn(catalog, transaction.chainId)
    return constants && sameAddress(transaction.to, constants.universalRouter)
      ? exchangeOfV4(constants, transaction)
      : undefined
  },
  open: (catalog, { read }) =>
    openProvider(catalog.uniswapV4, read, ({ chainId }) => wrappedOn(catalog, chainId)),
}
