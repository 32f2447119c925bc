import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A reserve of an Aave v3 pool. */
export const AaveV3Constants = z.strictObject({
  family: z.literal('aave-v3'),
  pool: CatalogAddress,
  aToken: CatalogAddress,
  oracle: CatalogAddress,
})
export type AaveV3Constants = z.infer<typeof AaveV3Constants>
