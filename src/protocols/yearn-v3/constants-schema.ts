import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** A vault whose withdrawals limit the loss. */
export const YearnV3Constants = z.strictObject({ family: z.literal('yearn-v3'), vault: CatalogAddress })
/** The same as a type. */
export type YearnV3Constants = z.infer<typeof YearnV3Constants>
