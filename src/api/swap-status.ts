import { z } from 'zod'
import { maybe, orNull, ourWord, swapStatuses } from './wire.ts'

/** Where a swap stands: one of the seven words in lower case, or a word that this version does not know. */
export const SwapStatus = z.codec(
  z.object({
    status: z.string(),
    originTxHash: maybe(z.string()),
    destinationTxHash: maybe(z.string()),
    provider: maybe(z.string()),
  }),
  z.object({
    status: z.string(),
    originTxHash: z.string().nullable(),
    destinationTxHash: z.string().nullable(),
    provider: z.string().nullable(),
  }),
  {
    decode: (wire) => ({
      status: ourWord(swapStatuses, wire.status),
      originTxHash: orNull(wire.originTxHash),
      destinationTxHash: orNull(wire.destinationTxHash),
      provider: orNull(wire.provider),
    }),
    encode: (value) => value,
  },
)
export type SwapStatus = z.output<typeof SwapStatus>
