import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkBalancerV2Calldata } from './calldata-check.ts'
import { exchangeOfBalancerV2, balancerV2 as open } from './provider.ts'

/** Balancer v2: same-chain swaps through the pools in the catalogue, also of the native coin. */
export const balancerV2 = poolSwapDefinition({
  name: 'balancer-v2',
  // Chains with at least one pool.
  deployments: (catalog) => catalog.balancerV2.filter(({ pools }) => pools.length > 0),
  routerOf: ({ vault }) => vault,
  check: checkBalancerV2Calldata,
  exchange: exchangeOfBalancerV2,
  open,
})
