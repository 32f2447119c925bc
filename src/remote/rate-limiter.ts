import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'

/**
 * Keeps the requests of all processes of this machine within the limits of one key: a place is taken before each, and when
 * the service asks for a wait (until an epoch time in ms), all of them wait.
 */
export type RateLimiter = {
  take: () => { ok: true } | { ok: false; retryAfterSeconds: number }
  block: (untilMs: number) => void
  /** Forgets such a wait: the service answers again. */
  unblock: () => void
}

/** What is waited for: a place within the limits, or a service that is busy. */
export type Wait = 'limit' | 'busy'

/** How long may be waited for a limit, and what is told before a wait. */
export type Waiting = {
  /** The longest wait that still fits, in ms. */
  left: () => number
  told: (seconds: number, why: Wait) => void
  signal?: AbortSignal
}

/** Waits for as long as a limit asks, if that fits and nobody interrupts; whether it did. */
export async function waitForLimit(
  ms: number,
  { left, told, signal }: Waiting,
  why: Wait = 'limit',
): Promise<boolean> {
  if (ms > left()) return false
  told(Math.ceil(ms / 1000), why)
  try {
    await wait(ms, signal)
    return true
  } catch (error) {
    if (!signal?.aborted) throw error
    return false
  }
}

/** Takes a place for one request, and waits for it; RATE_LIMITED when the wait is longer than the time left. */
export async function takeRequestPlace(governor: RateLimiter, waiting: Waiting): Promise<void> {
  for (;;) {
    const taken = governor.take()
    if (taken.ok) return
    if (!(await waitForLimit(taken.retryAfterSeconds * 1000, waiting)))
      throw rateLimitedError(taken.retryAfterSeconds)
  }
}

/** RATE_LIMITED with how long to wait. */
export const rateLimitedError = (
  seconds: number,
  message = 'The requests of this key are used up on this machine, or the service asked it to wait',
  details: Record<string, unknown> = {},
): AppError =>
  new AppError('RATE_LIMITED', message, {
    details: { ...details, retryAfterSeconds: seconds },
    hint: `Wait ${seconds} s, then try again.`,
  })
