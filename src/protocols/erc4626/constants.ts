import { z } from 'zod'
import type { Address } from '../../domain/address.ts'
import { At } from '../shared/address-schema.ts'

/**
 * How a tokenized vault differs from others. `stated`: the contract that states its rate per second, in rays. `limits: 'none'`: its `max*`
 * functions are zero by design. `lends`: it lends by itself, as the vaults of Euler do.
 */
export const vaultRules = {
  vault: At,
  stated: z.strictObject({ at: At, name: z.enum(['ssr', 'vsr', 'dsr', 'getSSR']) }).optional(),
  limits: z.literal('none').optional(),
  lends: z.literal('euler').optional(),
}
const VaultRules = z.strictObject(vaultRules)
/** The same as a type. */
export type VaultRules = z.infer<typeof VaultRules>
/** A vault with nothing beyond EIP-4626. */
export const Erc4626Constants = z.strictObject({ family: z.literal('erc4626'), ...vaultRules })
/** The same as a type. */
export type Erc4626Constants = { family: 'erc4626' } & VaultRules & {
    /** The lending reserve that the vault only wraps, whose rate it has. Only the sandbox makes such a vault. */
    backing?: { pool: Address; aToken: Address } | undefined
  }
