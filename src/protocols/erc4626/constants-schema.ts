import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/**
 * A vault by EIP-4626. `stated`: the contract that states its rate per second, in rays. `limits: 'none'`: its `max*` functions are zero by design.
 * `lends`: it lends by itself, as the vaults of Euler do. `backing`: the lending reserve that it only wraps, whose rate it has, as the sandbox's vaults do.
 */
export const Erc4626Constants = z.strictObject({
  family: z.literal('erc4626'),
  vault: CatalogAddress,
  stated: z.strictObject({ at: CatalogAddress, name: z.enum(['ssr', 'vsr', 'dsr', 'getSSR']) }).optional(),
  limits: z.literal('none').optional(),
  lends: z.literal('euler').optional(),
  backing: z.strictObject({ pool: CatalogAddress, aToken: CatalogAddress }).optional(),
})
/** The same as a type. */
export type Erc4626Constants = z.infer<typeof Erc4626Constants>
