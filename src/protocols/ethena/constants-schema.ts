import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** USDe staked with Ethena: a vault with a cooldown. */
export const EthenaConstants = z.strictObject({ family: z.literal('ethena'), vault: CatalogAddress })
export type EthenaConstants = z.infer<typeof EthenaConstants>
