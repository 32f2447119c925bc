import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { CatalogHash, type RowOf, swapContracts } from '../swap-contracts.ts'

export const balancerV2Contracts = swapContracts('balancer-v2', {
  vault: CatalogAddress,
  queries: CatalogAddress,
  pools: z.array(
    z.strictObject({
      id: CatalogHash,
      tokens: z.array(CatalogAddress).min(2),
      source: z.string().min(1),
    }),
  ),
})

/**
 * The contracts of Balancer v2 on a chain, and the weighted pools that are used: nothing on the chain tells which pools hold two tokens.
 * `id` names a pool at the vault (32 bytes, its address first); `tokens` are all that it holds.
 */
export type BalancerV2Constants = RowOf<typeof balancerV2Contracts>
