import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkOneInchCalldata } from './calldata-check.ts'
import { oneInchContracts } from './constants-schema.ts'
import { oneInch as openProvider, provider } from './provider.ts'

/** 1inch's aggregator: same-chain swaps along a route from its service, with the user's API key. */
export const oneInch: SwapDefinition<typeof oneInchContracts> = {
  name: provider,
  contracts: oneInchContracts,
  reach: 'same-chain',
  // Any deadline is in the executor's data, which is not checked.
  proof: { ...provedByCalldata, deadline: 'none' },
  spender: (catalog, chainId) => contractsOn(catalog, oneInchContracts, chainId)?.router,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, oneInchContracts, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.router],
        check: (transaction) => checkOneInchCalldata(transaction, intent),
      }
    )
  },
  open: (catalog, network) => {
    const chains = contractsIn(catalog, oneInchContracts)
    return chains.length === 0 ? undefined : openProvider(chains, network)
  },
}
