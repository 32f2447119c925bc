import { z } from 'zod'
import { At } from '../../domain/address.ts'

/** Lido. The position is held in stETH, or in wstETH, which `staker` mints for the coin. Withdrawals go through a queue. */
export const LidoConstants = z.discriminatedUnion('holds', [
  z.strictObject({
    family: z.literal('lido'),
    holds: z.literal('stETH'),
    stEth: At,
    queue: At,
    staker: z.undefined().optional(),
  }),
  z.strictObject({
    family: z.literal('lido'),
    holds: z.literal('wstETH'),
    stEth: At,
    wstEth: At,
    staker: At,
    queue: At,
  }),
])
export type LidoConstants = z.infer<typeof LidoConstants>
