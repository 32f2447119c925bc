import { z } from 'zod'
import { At } from '../../domain/address.ts'

/** sUSDS as a bridged token: `psm` sells it and buys it back, at the rate of `oracle`. */
export const SparkPsm3Constants = z.strictObject({ family: z.literal('spark-psm3'), psm: At, oracle: At })
export type SparkPsm3Constants = z.infer<typeof SparkPsm3Constants>
