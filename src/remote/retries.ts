import { AppError } from '../domain/errors.ts'
import { backoffMs, isWorthAgain, wait } from '../http/backoff.ts'
import type { HttpAnswer } from '../http/client.ts'
import { type RateLimiter, takeRequestPlace, type Waiting, waitForLimit } from './rate-limiter.ts'
import { askedWaitMs, unsaidWaitMs } from './response-errors.ts'

/**
 * What one call may cost: all tries and the pauses between them `budgetMs`; what the service asks us to wait comes on top, as far
 * as `waiting` has it. What changes something is asked again only where it was not taken (429). `now` is epoch ms.
 */
type Patience = {
  mayRetry: boolean
  budgetMs: number
  waiting: Waiting
  governor: RateLimiter | undefined
  now: () => number
}

const mostRetries = 3

/** A service may be well again long before it said: so long, at most, nobody of this machine asks it, where it is busy, and where a limit is used up. */
const most = { busy: 60_000, limit: 5 * 60_000 }

/** Asks until there is an answer that is worth having, at most four times, and gives back or throws the last one. */
export async function withRetries(
  { mayRetry, budgetMs, waiting, governor, now }: Patience,
  exchange: (deadlineMs: number) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { signal } = waiting
  let left = budgetMs
  let answered: HttpAnswer | undefined
  for (let tried = 1; ; tried++) {
    if (governor) await takeRequestPlace(governor, waiting)
    const began = performance.now()
    let last: () => HttpAnswer
    try {
      const answer = await exchange(left)
      const pause = pauseOf(answer, tried, now())
      if (answer.status < 500 && pause === undefined) {
        // Who is answered is not asked to wait any more.
        governor?.unblock()
        return answer
      }
      const isLast = tried > mostRetries || !(mayRetry || answer.status === 429)
      if (pause !== undefined) {
        const goesOn = !isLast && pause.ms <= waiting.left()
        const why = answer.status === 429 ? 'limit' : 'busy'
        // Who gives up says how long to wait, and the others of this machine are held to it for a while.
        const block = goesOn ? pause.ms : (pause.asked ?? unsaidWaitMs)
        governor?.block(now() + Math.min(block, most[why]))
        if (!goesOn || !(await waitForLimit(pause.ms, waiting, why))) return answer
        continue
      }
      answered = answer
      last = () => answer
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.fault === 'aborted' || !isWorthAgain(error))
        throw error
      last = () => {
        // For want of time nothing came: what was said before that tells more.
        if (answered && error.details?.fault === 'deadline') return answered
        throw error
      }
    }
    const pauseMs = backoffMs(tried)
    left -= performance.now() - began + pauseMs
    if (!mayRetry || tried > mostRetries || left <= 0 || signal?.aborted) return last()
    try {
      await wait(pauseMs, signal)
    } catch {
      return last() // The wait was interrupted: what there is, is what the caller gets.
    }
  }
}

/** The pause that an answer asks for: a limit always does, and a service that is busy where it says so. */
function pauseOf(
  answer: HttpAnswer,
  tried: number,
  now: number,
): { ms: number; asked: number | undefined } | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined
  const asked = askedWaitMs(answer, now)
  if (asked === undefined && answer.status === 503) return undefined
  return { ms: asked ?? 1_000 * 2 ** (tried - 1), asked }
}
