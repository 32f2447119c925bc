import { z } from 'zod'
import type { Address } from '../../domain/address.ts'
import { At } from '../shared/address-schema.ts'

/** A market of Compound v3 is one contract; `rewards` names the contract that pays tokens beside the interest. */
export const CompoundV3Constants = z.strictObject({
  family: z.literal('compound-v3'),
  comet: At,
  rewards: At,
})
export type CompoundV3Constants = Omit<z.infer<typeof CompoundV3Constants>, 'rewards'> & {
  rewards?: Address | undefined
}
