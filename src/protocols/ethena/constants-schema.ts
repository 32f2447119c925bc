import { z } from 'zod'
import { At } from '../../domain/address.ts'

/** USDe staked with Ethena: a vault with a cooldown. */
export const EthenaConstants = z.strictObject({ family: z.literal('ethena'), vault: At })
export type EthenaConstants = z.infer<typeof EthenaConstants>
