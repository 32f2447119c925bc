import { z } from 'zod'
import { type VaultRules, vaultRules } from '../erc4626/constants.ts'

/** A vault that is left with a bound on the loss. */
export const YearnV3Constants = z.strictObject({ family: z.literal('yearn-v3'), ...vaultRules })
/** The same as a type. */
export type YearnV3Constants = { family: 'yearn-v3' } & VaultRules
