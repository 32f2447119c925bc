import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkBalancerV2Calldata } from './calldata-check.ts'
import { balancerV2Contracts } from './constants-schema.ts'
import { exchangeOfBalancerV2, balancerV2 as open } from './provider.ts'

/** Balancer v2: same-chain swaps through the pools in the catalogue, also of the native coin. */
export const balancerV2 = poolSwapDefinition({
  contracts: balancerV2Contracts,
  // Chains with at least one pool.
  isUsable: ({ pools }) => pools.length > 0,
  routerOf: ({ vault }) => vault,
  check: checkBalancerV2Calldata,
  exchange: exchangeOfBalancerV2,
  open,
})
