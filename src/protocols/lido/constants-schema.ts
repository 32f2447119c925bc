import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** Lido. The position is held in stETH, or in wstETH, which `staker` mints for the coin. Withdrawals go through a queue. */
export const LidoConstants = z.discriminatedUnion('holds', [
  z.strictObject({
    family: z.literal('lido'),
    holds: z.literal('stETH'),
    stEth: CatalogAddress,
    queue: CatalogAddress,
    staker: z.undefined().optional(),
  }),
  z.strictObject({
    family: z.literal('lido'),
    holds: z.literal('wstETH'),
    stEth: CatalogAddress,
    wstEth: CatalogAddress,
    staker: CatalogAddress,
    queue: CatalogAddress,
  }),
])
export type LidoConstants = z.infer<typeof LidoConstants>
