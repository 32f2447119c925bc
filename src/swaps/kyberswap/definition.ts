import type { Catalog } from '../../protocols/catalog-types.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { checkKyberSwapCalldata } from './calldata-check.ts'
import { kyberSwap as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'

const contractsOn = ({ kyberSwap }: Catalog, chainId: number) =>
  kyberSwap.find((entry) => entry.chainId === chainId)

/** KyberSwap's aggregator: same-chain swaps along a route from its service. */
export const kyberSwap: SwapDefinition = {
  name: 'kyberswap',
  reach: 'same-chain',
  // The deadline is in the executor's data, which is not checked.
  proof: { ...provedByCalldata, deadline: 'none' },
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.router,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.router],
        check: (transaction) => checkKyberSwapCalldata(transaction, intent),
      }
    )
  },
  open: ({ kyberSwap: contracts }, { exchangeJson }) => {
    const chains = rowsWithService(contracts)
    return chains.length === 0 ? undefined : openProvider(chains, exchangeJson)
  },
}
