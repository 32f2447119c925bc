import { mustSignAs } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkOneInchCalldata } from './calldata-check.ts'
import { oneInchContracts } from './constants-schema.ts'
import { oneInch as openProvider, provider } from './provider.ts'

/** 1inch's aggregator: same-chain swaps along a route from its service, with the user's API key. */
export const oneInch: SwapDefinition<typeof oneInchContracts> = {
  name: provider,
  title: '1inch',
  contracts: oneInchContracts,
  assertions: assertionsAbout(oneInchContracts, ({ router }) => [
    // The EIP-712 name under which the orders it fills are signed (source: EIP712 of AggregationRouterV6).
    mustSignAs('router of 1inch', router, '1inch Aggregation Router,6'),
  ]),
  pools: 'none',
  reach: 'same-chain',
  // Any deadline is in the executor's data, which is not checked.
  proof: { ...provedByCalldata, deadline: 'none' },
  orders: 'none',
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
