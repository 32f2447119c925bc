import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkBalancerV2Calldata } from './calldata-check.ts'
import { exchangeOfBalancerV2, balancerV2 as open } from './provider.ts'

/** Balancer v2: swaps on one chain through the pools that the catalogue lists, also of the native coin. */
export const balancerV2 = poolSwapDefinition({
  name: 'balancer-v2',
  // Those with a pool to swap in.
  deployments: (catalog) => catalog.balancerV2.filter(({ pools }) => pools.length > 0),
  routerOf: ({ vault }) => vault,
  check: checkBalancerV2Calldata,
  exchange: exchangeOfBalancerV2,
  open,
})
