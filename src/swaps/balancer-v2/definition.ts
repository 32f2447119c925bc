import { sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { wrappedOn } from '../../protocols/prices.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { bindBalancerV2 } from './binding.ts'
import { exchangeOfBalancerV2, balancerV2 as openProvider } from './provider.ts'

/** The deployments with a pool to swap in. */
const inUse = ({ balancerV2 }: Catalog) => balancerV2.filter(({ pools }) => pools.length > 0)

const contractsOn = (catalog: Catalog, chainId: number) =>
  inUse(catalog).find((entry) => entry.chainId === chainId)

/** Balancer v2: swaps on one chain through the pools that the catalogue lists, also of the native coin. */
export const balancerV2: SwapDefinition = {
  name: 'balancer-v2',
  reach: 'same-chain',
  proof: provedByCalldata,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.vault,
  expect: (catalog, intent) => {
    const { chainId } = intent.tokenIn
    const constants = contractsOn(catalog, chainId)
    return (
      constants && {
        targets: [constants.vault],
        bind: (transaction) => bindBalancerV2(transaction, intent, constants, wrappedOn(catalog, chainId)),
      }
    )
  },
  exchange: (catalog, transaction) => {
    const { chainId, to } = transaction
    const constants = contractsOn(catalog, chainId)
    return constants && sameAddress(to, constants.vault)
      ? exchangeOfBalancerV2(constants, transaction, wrappedOn(catalog, chainId))
      : undefined
  },
  open: (catalog, { read }) =>
    openProvider(inUse(catalog), read, ({ chainId }) => wrappedOn(catalog, chainId)),
}
