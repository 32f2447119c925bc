import { z } from 'zod'
import type { Address } from '../../domain/address.ts'
import { At } from '../shared/address-schema.ts'

/**
 * What is particular about a tokenized vault. `backing`: it only wraps a lending reserve, whose rate it has. `stated`: the contract that
 * states its rate a second, in rays. `limits: 'none'`: its `max*` functions are zero by design. `lends`: it lends by itself, as the vaults of Euler do.
 */
export const vaultRules = {
  vault: At,
  stated: z.strictObject({ at: At, name: z.enum(['ssr', 'vsr', 'dsr', 'getSSR']) }).optional(),
  limits: z.literal('none').optional(),
  lends: z.literal('euler').optional(),
}
const VaultRules = z.strictObject(vaultRules)
/** The rules of a vault; `backing` and `stated` limits are set only where a market is made by this program. */
export type VaultRules = Omit<z.infer<typeof VaultRules>, 'limits'> & {
  backing?: { pool: Address; aToken: Address } | undefined
  limits?: 'stated' | 'none' | undefined
}
/** A vault with nothing beyond EIP-4626. */
export const Erc4626Constants = z.strictObject({ family: z.literal('erc4626'), ...vaultRules })
/** The same as a type. */
export type Erc4626Constants = { family: 'erc4626' } & VaultRules
