import type { GuardedAnswer } from '../http/guarded-post.ts'
import type { AttemptOutcome } from '../store/events/delivery-queries.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** The waits before each further attempt, in ms: about 75 hours in all. */
export const retrySchedule: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  24 * hour,
  33 * hour,
]

/** How much longer than the schedule a wait is at most, as a fraction. */
const jitter = 0.1

/** After how many attempts an event is given up that the receiver refuses (4xx). */
const mostRefusals = 3

/** The longest wait that a receiver may ask for, in ms. */
const longestWait = 24 * hour

/** The answer by which a receiver says that it wants no more events. */
export const isEndpointGone = (answer: GuardedAnswer): boolean => 'status' in answer && answer.status === 410

/**
 * What follows from the answer to an attempt; `tries` counts the attempts so far, this one included. 2xx is received. 4xx other than 408 and 429 is given
 * up after the third attempt, anything else after the last of the schedule. `Retry-After` is obeyed. `random` is in [0, 1).
 */
export function deliveryOutcome(
  answer: GuardedAnswer,
  tries: number,
  { now, random, schedule = retrySchedule }: { now: number; random: number; schedule?: readonly number[] },
): AttemptOutcome {
  const status = 'status' in answer ? answer.status : null
  const error = status === null ? ('error' in answer ? answer.error : '') : `HTTP status ${status}`
  if (status !== null && status >= 200 && status < 300)
    return { state: 'delivered', tries, dueAt: now, response: status, error: null }
  const isRefused = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
  const wait = schedule[tries - 1]
  if (wait === undefined || status === 410 || (isRefused && tries >= mostRefusals))
    return { state: 'dead', tries, dueAt: now, response: status, error }
  const asked = ('retryAfterMs' in answer ? answer.retryAfterMs : null) ?? 0
  const dueAt = now + Math.max(Math.round(wait * (1 + jitter * random)), Math.min(asked, longestWait))
  return { state: 'pending', tries, dueAt, response: status, error }
}
