import { nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { checkCowCalldata } from './calldata-check.ts'
import { followOrder } from './follow.ts'
import { cow as openProvider, provider } from './provider.ts'
import { refusals } from './refusals.ts'

const contractsOn = ({ cow }: Catalog, chainId: number) => cow.find((entry) => entry.chainId === chainId)

/** CoW Protocol: an order that its owner signs on chain, and that a solver may fill later; tokens only. */
export const cow: SwapDefinition = {
  name: provider,
  reach: 'same-chain',
  isOrder: true,
  // The deadline is that of the fill.
  proof: provedByCalldata,
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.vaultRelayer,
  callee: (catalog, chainId) => contractsOn(catalog, chainId)?.settlement,
  expect: (catalog, intent) => {
    const here = contractsOn(catalog, intent.tokenIn.chainId)
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
    const chains = rowsWithService(catalog.cow)
    return chains.length === 0 ? undefined : openProvider(chains, network)
  },
}
