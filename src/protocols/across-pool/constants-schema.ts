import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A pool of Across: `hubPool` holds those of all tokens. `wrapped`: the asset is the native coin, and the pool is that of its wrapped token. `staking`: the contract in which LP tokens are staked. */
export const AcrossPoolConstants = z.strictObject({
  family: z.literal('across'),
  hubPool: CatalogAddress,
  wrapped: CatalogAddress.optional(),
  staking: CatalogAddress.optional(),
})
export type AcrossPoolConstants = z.infer<typeof AcrossPoolConstants>
