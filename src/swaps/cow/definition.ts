import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { mustAnswer } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkCowCalldata } from './calldata-check.ts'
import { cowContracts } from './constants-schema.ts'
import { followOrder } from './follow.ts'
import { orderDomain } from './order.ts'
import { cowOrders } from './order-use.ts'
import { cow as openProvider, provider } from './provider.ts'
import { refusals } from './refusals.ts'

/** The getters by which its settlement identifies itself (source: GPv2Settlement of CoW Protocol). */
const abi = parseAbi([
  'function domainSeparator() view returns (bytes32)',
  'function vaultRelayer() view returns (address)',
])

/** CoW Protocol: an order that its owner signs on chain, and that a solver may fill later; tokens only. */
export const cow: SwapDefinition<typeof cowContracts> = {
  name: provider,
  title: 'CoW Protocol',
  contracts: cowContracts,
  assertions: assertionsAbout(cowContracts, (here) => [
    mustAnswer(
      'the relayer of CoW Protocol',
      contract(here.settlement, abi)('vaultRelayer'),
      here.vaultRelayer,
    ),
    // The domain binds an order's hash to its chain and contract.
    mustAnswer(
      'the domain of the orders of CoW Protocol',
      contract(here.settlement, abi)('domainSeparator'),
      orderDomain(here),
    ),
  ]),
  pools: 'none',
  reach: 'same-chain',
  isOrder: true,
  // The deadline is that of the fill.
  proof: provedByCalldata,
  orders: cowOrders,
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, cowContracts, chainId)?.vaultRelayer,
  callee: (catalog, chainId) => contractsOn(catalog, cowContracts, chainId)?.settlement,
  expect: (catalog, intent) => {
    const here = contractsOn(catalog, cowContracts, intent.tokenIn.chainId)
    // Under another provider name, the swap would count as complete with its transaction.
    if (!here || intent.provider !== provider) return undefined
    if ([intent.tokenIn, intent.tokenOut].some(({ address }) => sameAddress(address, nativeAddress)))
      return undefined
    return {
      targets: [here.settlement],
      check: (transaction) => checkCowCalldata(transaction, intent, here),
    }
  },
  follow: followOrder,
  open: (catalog, network) => {
    const chains = rowsWithService(contractsIn(catalog, cowContracts))
    return chains.length === 0 ? undefined : openProvider(chains, network)
  },
}
