import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkKyberSwapCalldata } from './calldata-check.ts'
import { kyberSwapContracts } from './constants-schema.ts'
import { kyberSwap as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'

/** The getter by which its router identifies itself (source: MetaAggregationRouterV2). */
const abi = parseAbi(['function WETH() view returns (address)'])

/** KyberSwap's aggregator: same-chain swaps along a route from its service. */
export const kyberSwap: SwapDefinition<typeof kyberSwapContracts> = {
  name: kyberSwapContracts.name,
  title: 'KyberSwap',
  contracts: kyberSwapContracts,
  assertions: assertionsAbout(kyberSwapContracts, ({ router }) => [
    mustRespond('the wrapped coin of the router of KyberSwap', contract(router, abi)('WETH')),
  ]),
  pools: 'none',
  reach: 'same-chain',
  // The deadline is in the executor's data, which is not checked.
  proof: { ...provedByCalldata, deadline: 'none' },
  orders: 'none',
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, kyberSwapContracts, chainId)?.router,
  expect: (catalog, intent) => {
    const constants = contractsOn(catalog, kyberSwapContracts, intent.tokenIn.chainId)
    return (
      constants && {
        targets: [constants.router],
        check: (transaction) => checkKyberSwapCalldata(transaction, intent),
      }
    )
  },
  open: (catalog, { exchangeJson }) => {
    const chains = rowsWithService(contractsIn(catalog, kyberSwapContracts))
    return chains.length === 0 ? undefined : openProvider(chains, exchangeJson)
  },
}
