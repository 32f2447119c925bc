import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** sUSDS as a bridged token: `psm` sells it and buys it back, at the rate of `oracle`. */
export const SparkPsm3Constants = z.strictObject({
  family: z.literal('spark-psm3'),
  psm: CatalogAddress,
  oracle: CatalogAddress,
})
export type SparkPsm3Constants = z.infer<typeof SparkPsm3Constants>
