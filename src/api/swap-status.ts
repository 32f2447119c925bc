import { z } from 'zod'
import { maybe, orNull, ours, ourWord, swapStatuses } from './wire-fields.ts'

/**
 * The deposit of a swap that begins on Bitcoin (ours). `amount` is what it must pay and `paid` what it does, in satoshi; `paid` and
 * `confirmations` are `null` while no deposit is found. `delivery` says of a fulfilled swap whether its chain showed the payment, or
 * only the provider says so. `overdue`: it was paid, and has not ended in the usual time. `isLookedUp`: a deposit that is there would have
 * been found. An older service says neither.
 */
const Deposit = z.object({
  address: z.string(),
  memo: z.string().nullable(),
  amount: z.string(),
  paid: z.string().nullable(),
  confirmations: z.int().nullable(),
  until: z.string(),
  delivery: z.enum(['verified', 'reported']).nullable(),
  overdue: z.boolean().optional(),
  isLookedUp: z.boolean().optional(),
  note: z.string().nullable(),
})

/**
 * Where a swap stands: one of the seven words in lower case, or a word that this version does not know. `note` (ours) is what its provider
 * says beside it, which no chain shows yet.
 */
export const SwapStatus = z.codec(
  z.object({
    status: z.string(),
    originTxHash: maybe(z.string()),
    destinationTxHash: maybe(z.string()),
    provider: maybe(z.string()),
    deposit: ours(Deposit),
    note: ours(z.string()),
  }),
  z.object({
    status: z.string(),
    originTxHash: z.string().nullable(),
    destinationTxHash: z.string().nullable(),
    provider: z.string().nullable(),
    deposit: Deposit.optional(),
    note: z.string().optional(),
  }),
  {
    decode: (wire) => ({
      status: ourWord(swapStatuses, wire.status),
      originTxHash: orNull(wire.originTxHash),
      destinationTxHash: orNull(wire.destinationTxHash),
      provider: orNull(wire.provider),
      ...(wire.deposit && { deposit: wire.deposit }),
      ...(wire.note && { note: wire.note }),
    }),
    encode: (value) => value,
  },
)
export type SwapStatus = z.output<typeof SwapStatus>
