import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/**
 * The Genesis vault of StakeWise v3, one a network; its shares are no token. `keeper` says whether rewards must be collected first,
 * `registry` which vaults belong to StakeWise.
 */
export const StakewiseConstants = z.strictObject({
  family: z.literal('stakewise'),
  vault: CatalogAddress,
  keeper: CatalogAddress,
  registry: CatalogAddress,
})
export type StakewiseConstants = z.infer<typeof StakewiseConstants>
