import { z } from 'zod'

import { Units } from '../domain/amount.ts'
import { maybe, orNull } from './wire.ts'

/**
 * A withdrawal that is queued, on the wire: how much it pays, when it was asked for and when it can be claimed, as far as a contract says, and
 * until when, where it lapses then. `back` names the function that gives back what was let pass, and is `null` where nothing was.
 */
export const QueuedWire = z.object({
  id: z.string(),
  amount: Units,
  requestedAt: maybe(z.string()),
  availableAt: maybe(z.string()),
  until: maybe(z.string()),
  back: maybe(z.string()),
})

/** A withdrawal that is queued: `amount` is in the smallest unit of the asset, times are ISO 8601. */
export type QueuedWithdrawal = {
  id: string
  amount: bigint
  requestedAt: string | null
  availableAt: string | null
  until: string | null
  back: string | null
}

/** Queued withdrawals off the wire; a deployment that does not send them is `null`. */
export const readQueued = (
  wire: readonly z.output<typeof QueuedWire>[] | null | undefined,
): QueuedWithdrawal[] | null =>
  wire?.map(({ requestedAt, availableAt, until, back, ...rest }) => ({
    ...rest,
    requestedAt: orNull(requestedAt),
    availableAt: orNull(availableAt),
    until: orNull(until),
    back: orNull(back),
  })) ?? null

/** A strategy in whose queue it was not looked for what a wallet asked for elsewhere, and when it was last, as ISO 8601; `null` is never. */
export const Unsearched = z.object({ strategy: z.string(), searchedAt: z.string().nullable() })
