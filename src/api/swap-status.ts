import { z } from 'zod'
import { knownCasing, swapStatuses } from './status-and-history-words.ts'
import { extension, nullish, orNull } from './wire-fields.ts'

/**
 * The deposit of a swap from Bitcoin (extension). `amount` is the required and `paid` the received amount, in satoshi; `paid` and
 * `confirmations` are `null` until a deposit is found. `delivery` says whether the chain showed a fulfilled swap's payment (`verified`) or
 * only the provider reports it. `overdue`: paid, but not finished in the usual time. `isLookedUp`: the search would have found a deposit.
 * An older service sends neither flag.
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
 * The status of a swap: one of the seven statuses in lower case, `reported`, or an unknown one. `reported` (extension) is an end that only
 * a service or provider says: the status is then `reported` here, and `processing` on the wire, which has the seven statuses only.
 * `note` (extension) is the provider's own status, which no chain shows yet. `arrivedShort` (extension) says why a swap is `failed`: its
 * payout was seen, and is less than the agreed minimum. Without it the cause of a failure is not stated.
 */
export const SwapStatus = z.codec(
  z.object({
    status: z.string(),
    originTxHash: nullish(z.string()),
    destinationTxHash: nullish(z.string()),
    provider: nullish(z.string()),
    deposit: extension(Deposit),
    note: extension(z.string()),
    reported: extension(z.string()),
    arrivedShort: extension(z.literal(true)),
  }),
  z.object({
    status: z.string(),
    originTxHash: z.string().nullable(),
    destinationTxHash: z.string().nullable(),
    provider: z.string().nullable(),
    deposit: Deposit.optional(),
    note: z.string().optional(),
    reported: z.string().optional(),
    arrivedShort: z.literal(true).optional(),
  }),
  {
    decode: (wire) => ({
      status: wire.reported ? 'reported' : knownCasing(swapStatuses, wire.status),
      originTxHash: orNull(wire.originTxHash),
      destinationTxHash: orNull(wire.destinationTxHash),
      provider: orNull(wire.provider),
      ...(wire.deposit && { deposit: wire.deposit }),
      ...(wire.note && { note: wire.note }),
      ...(wire.reported && { reported: knownCasing(swapStatuses, wire.reported) }),
      ...(wire.arrivedShort && { arrivedShort: true as const }),
    }),
    encode: (value) => (value.reported ? { ...value, status: 'processing' } : value),
  },
)
export type SwapStatus = z.output<typeof SwapStatus>
