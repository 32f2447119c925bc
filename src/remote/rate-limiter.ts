import { AppError } from '../domain/errors.ts'
import { spanText } from '../domain/text/time-spans.ts'
import { wait } from '../http/backoff.ts'
import { longWork } from '../http/waits.ts'

/**
 * Keeps the requests of all processes on this machine within one key's limits: every request first takes a slot. If the service requests a
 * wait, until an epoch time in ms, all of them wait.
 */
export type RateLimiter = {
  take: () => { ok: true } | { ok: false; retryAfterSeconds: number }
  block: (untilMs: number) => void
  /** Ends such a wait early, because the service responds again. */
  unblock: () => void
}

/** The reason of a wait: a rate limit, or a busy service. */
export type Wait = 'limit' | 'busy'

/** Options of a wait: `onWait` is called before it. */
export type WaitOptions = {
  /** The longest allowed wait, in ms. */
  remainingMs: () => number
  onWait: (seconds: number, why: Wait) => void
  signal?: AbortSignal
}

/** Waits if the time is within `left`; returns false if it is not, or if the signal aborts the wait. */
export async function waitForLimit(
  ms: number,
  { remainingMs, onWait, signal }: WaitOptions,
  why: Wait = 'limit',
): Promise<boolean> {
  if (ms > remainingMs()) return false
  onWait(Math.ceil(ms / 1000), why)
  try {
    // A wait that the service requests is no slow read.
    await longWork(why === 'busy' ? 'waiting for the busy service' : 'waiting for the rate limit', () =>
      wait(ms, signal),
    )
    return true
  } catch (error) {
    if (!signal?.aborted) throw error
    return false
  }
}

/** Takes a slot for one request, and waits for it if necessary; RATE_LIMITED if the wait is longer than the time left. */
export async function takeRequestPlace(governor: RateLimiter, waiting: WaitOptions): Promise<void> {
  for (;;) {
    const taken = governor.take()
    if (taken.ok) return
    if (!(await waitForLimit(taken.retryAfterSeconds * 1000, waiting)))
      throw rateLimitedError(taken.retryAfterSeconds)
  }
}

/** The RATE_LIMITED error, with the waiting time. */
export const rateLimitedError = (
  seconds: number,
  message = 'This machine has used all requests of this key, or the service asked it to wait',
  details: Record<string, unknown> = {},
): AppError =>
  new AppError('RATE_LIMITED', message, {
    details: { ...details, retryAfterSeconds: seconds },
    next: `Wait ${spanText(1_000 * seconds, Math.ceil)}, then try again.`,
  })
