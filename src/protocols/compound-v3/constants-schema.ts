import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A market of Compound v3 is one contract; `rewards` names the contract that pays tokens beside the interest, which every market of a catalogue file has. */
export const CompoundV3Constants = z.strictObject({
  family: z.literal('compound-v3'),
  comet: CatalogAddress,
  rewards: CatalogAddress.optional(),
})
export type CompoundV3Constants = z.infer<typeof CompoundV3Constants>
