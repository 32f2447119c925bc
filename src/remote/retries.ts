import { fromEnvelope } from '../api/error-envelope.ts'
import { AppError } from '../domain/errors.ts'
import { backoffMs, isRetryable, wait } from '../http/backoff.ts'
import type { HttpAnswer } from '../http/client.ts'
import { type RateLimiter, takeRequestPlace, type WaitOptions, waitForLimit } from './rate-limiter.ts'
import { defaultWaitMs, requestedWaitMs } from './response-errors.ts'

/**
 * The limits of one call. `budgetMs` covers all tries and the pauses between them; waits that the service requests are additional, within
 * `waiting`. Writes are repeated only if the service did not accept them (429). `now` is epoch ms.
 */
type RetryLimits = {
  mayRetry: boolean
  budgetMs: number
  waiting: WaitOptions
  governor: RateLimiter | undefined
  now: () => number
}

const maxRetries = 3

/** The longest time that all processes of this machine stop requesting, in ms, because a service may recover earlier than it announced. */
const maxBlockMs = { busy: 60_000, limit: 5 * 60_000 }

/** Sends a request with at most three retries; returns the last response or throws the last error. */
export async function withRetries(
  { mayRetry, budgetMs, waiting, governor, now }: RetryLimits,
  exchange: (deadlineMs: number) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { signal } = waiting
  let left = budgetMs
  let answered: HttpAnswer | undefined
  for (let attempt = 1; ; attempt++) {
    if (governor) await takeRequestPlace(governor, waiting)
    const began = performance.now()
    let last: () => HttpAnswer
    try {
      const answer = await exchange(left)
      const pause = pauseOf(answer, attempt, now())
      if ((answer.status < 500 || answer.status === 501) && pause === undefined) {
        // A normal response ends all waits. With 501 the deployment lacks the endpoint, so the request is not repeated.
        governor?.unblock()
        return answer
      }
      const isLast = attempt > maxRetries || !(mayRetry || answer.status === 429)
      if (pause !== undefined) {
        const goesOn = !isLast && pause.ms <= waiting.remainingMs()
        const why = answer.status === 429 ? 'limit' : 'busy'
        // If this call gives up, the other processes of the machine still wait, up to a limit.
        const block = goesOn ? pause.ms : (pause.asked ?? defaultWaitMs)
        if (answer.status !== 409) governor?.block(now() + Math.min(block, maxBlockMs[why]))
        if (!goesOn || !(await waitForLimit(pause.ms, waiting, why))) return answer
        continue
      }
      answered = answer
      last = () => answer
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.fault === 'aborted' || !isRetryable(error))
        throw error
      last = () => {
        // A deadline says less than the response before it.
        if (answered && error.details?.fault === 'deadline') return answered
        throw error
      }
    }
    const pauseMs = backoffMs(attempt)
    left -= performance.now() - began + pauseMs
    if (!mayRetry || attempt > maxRetries || left <= 0 || signal?.aborted) return last()
    try {
      await wait(pauseMs, signal)
    } catch {
      return last() // The wait was aborted: return the last result.
    }
  }
}

/** The pause that a response requires: always for a 429, and for a 503 that requests one. */
function pauseOf(
  answer: HttpAnswer,
  attempt: number,
  now: number,
): { ms: number; asked: number | undefined } | undefined {
  const asked = requestedWaitMs(answer, now)
  // An earlier try of this call still runs at the service.
  if (answer.status === 409 && fromEnvelope(409, answer.body).code === 'IDEMPOTENCY_KEY_RUNNING')
    return { ms: asked ?? 1_000, asked }
  if (answer.status !== 429 && answer.status !== 503) return undefined
  if (asked === undefined && answer.status === 503) return undefined
  return { ms: asked ?? 1_000 * 2 ** (attempt - 1), asked }
}
