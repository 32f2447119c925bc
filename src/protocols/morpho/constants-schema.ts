import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A vault of Morpho (MetaMorpho v1.0 and v1.1), which lends on markets of the contract `morpho`. */
export const MorphoConstants = z.strictObject({
  family: z.literal('morpho'),
  vault: CatalogAddress,
  morpho: CatalogAddress,
})
export type MorphoConstants = z.infer<typeof MorphoConstants>
