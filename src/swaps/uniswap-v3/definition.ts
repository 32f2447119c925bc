import type { Catalog } from '../../protocols/catalog.ts'
import type { SwapDefinition } from '../definition.ts'
import { bindUniswapV3 } from './binding.ts'
import { uniswapV3 as openProvider } from './provider.ts'

const contractsOn = ({ uniswapV3 }: Catalog, chainId: number) =>
  uniswapV3.find((entry) => entry.chainId === chainId)

/** Uniswap v3: swaps on one chain. */
export const uniswapV3: SwapDefinition = {
  name: 'uniswap-v3',
  reach: 'same-chain',
  proof: {
    spender: 'calldata',
    amount: 'calldata',
    recipient: 'calldata',
    minimum: 'calldata',
    deadline: 'calldata',
  },
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.swapRouter02,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.swapRouter02],
        bind: (transaction) => bindUniswapV3(transaction, intent, constants),
      }
    )
  },
  open: ({ uniswapV3: contracts }, { read }) => openProvider(contracts, read),
}
