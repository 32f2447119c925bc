import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A lending vault of Fluid (fToken), and the resolver that states its rate and what can be withdrawn from it. `staking`: the contract in which its shares are staked. */
export const FluidConstants = z.strictObject({
  family: z.literal('fluid'),
  vault: CatalogAddress,
  resolver: CatalogAddress,
  staking: CatalogAddress.optional(),
})
/** The same as a type. */
export type FluidConstants = z.infer<typeof FluidConstants>
