import type { Disagreement } from '../../chain/finality/quorum.ts'
import type { AppError } from '../../domain/errors.ts'
import type { DeliveryResult, UnseenDelivery } from './delivery-result.ts'

/** One look at an awaited delivery: whether the chains were asked, what they showed, and the service's error if it will fail the next time too. */
export type DeliveryLook = {
  isAsked: boolean
  result?: DeliveryResult | undefined
  refusal?: AppError | undefined
}

/** What a run has seen of the delivery that it waits for. Times are monotonic. */
export type WatchedDelivery = {
  looks: number
  last: DeliveryLook
  /** The order can be filled until this time, in Unix seconds. */
  open: number | undefined
  unseen: UnseenDelivery | undefined
  unlike: Disagreement | undefined
  /** Since when the delivery should be visible and is not. */
  since: number | undefined
}

/** How long to search for a delivery that should be visible, in ms. Even a node that indexes late has it by then. */
const unseenTimeoutMs = { local: 2_000, remote: 60_000 }

/** What is known of a delivery after one more look. */
export function watchDelivery(
  before: WatchedDelivery | null,
  look: DeliveryLook,
  now: number,
): WatchedDelivery {
  const { isAsked, result } = look
  const { looks = 0, open, unseen, unlike, since } = before ?? {}
  const next = { looks: looks + 1, last: look, open, unseen, unlike, since }
  if (result && 'until' in result) return result.unseen === 'open' ? { ...next, open: result.until } : next
  if (result && 'missing' in result)
    return { ...next, unseen: undefined, unlike: undefined, since: undefined }
  if (!isAsked || (result && !('unseen' in result))) return next
  // An attestation service may learn of a recent burn later, but hardly of an old one.
  const is = result?.unseen
  const counts = is === 'unfound' || (is === 'unknown' && (looks === 0 || since !== undefined))
  return { ...next, unseen: is, unlike: result?.unlike, since: counts ? (since ?? now) : undefined }
}

/** Whether a delivery that should be visible was not found for too long. */
export const isDeliveryMissing = (
  { unseen, since }: WatchedDelivery,
  isLocal: boolean,
  now: number,
): boolean =>
  unseen !== undefined && since !== undefined && now - since > unseenTimeoutMs[isLocal ? 'local' : 'remote']

/** The pause before the next look, in ms: services may limit requests, and a local chain answers quickly. */
export const deliveryPauseMs = ({ looks }: WatchedDelivery, isLocal: boolean): number =>
  isLocal ? Math.min(25 * 2 ** Math.min(looks - 1, 10), 400) : 2_000
