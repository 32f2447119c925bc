import type { Catalog } from '../../protocols/catalog-types.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { checkOneInchCalldata } from './calldata-check.ts'
import { oneInch as openProvider, provider } from './provider.ts'
import { refusals } from './refusals.ts'

const contractsOn = ({ oneInch }: Catalog, chainId: number) =>
  oneInch.find((entry) => entry.chainId === chainId)

/** 1inch's aggregator: same-chain swaps along a route from its service, with the user's API key. */
export const oneInch: SwapDefinition = {
  name: provider,
  reach: 'same-chain',
  // Any deadline is in the executor's data, which is not checked.
  proof: { ...provedByCalldata, deadline: 'none' },
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.router,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.router],
        check: (transaction) => checkOneInchCalldata(transaction, intent),
      }
    )
  },
  open: ({ oneInch: contracts }, network) =>
    contracts.length === 0 ? undefined : openProvider(contracts, network),
}
