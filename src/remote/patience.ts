import { AppError } from '../domain/errors.ts'
import type { HttpAnswer } from '../net/http.ts'
import { backoffMs, wait } from '../net/patience.ts'
import { type Governor, placeFor, type Waiting, waited } from './governor.ts'
import { askedWaitMs } from './refusal.ts'

/**
 * What one call may cost: all tries and the pauses between them `budgetMs`; what a limit asks us to wait comes on top, as far
 * as `waiting` has it. What changes something is asked once. `now` is epoch ms.
 */
export type Patience = {
  mayRetry: boolean
  budgetMs: number
  waiting: Waiting
  governor: Governor | undefined
  now: () => number
}

const mostRetries = 3

/** Asks until there is an answer that is worth having, at most four times, and gives back or throws the last one. */
export async function patiently(
  { mayRetry, budgetMs, waiting, governor, now }: Patience,
  exchange: (deadlineMs: number) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { signal } = waiting
  let left = budgetMs
  for (let tried = 1; ; tried++) {
    if (governor) await placeFor(governor, waiting)
    const began = performance.now()
    const isLast = !mayRetry || tried > mostRetries
    let last: () => HttpAnswer
    try {
      const answer = await exchange(left)
      if (answer.status === 429) {
        const asked = askedWaitMs(answer, now())
        if (asked !== undefined) governor?.block(now() + asked)
        if (isLast || !(await waited(asked ?? 1_000 * 2 ** (tried - 1), waiting))) return answer
        continue
      }
      if (answer.status < 500) return answer
      last = () => answer
    } catch (error) {
      if (!(error instanceof AppError) || hopeless.includes(String(error.details?.fault))) throw error
      last = () => {
        throw error
      }
    }
    const pauseMs = backoffMs(tried)
    left -= performance.now() - began + pauseMs
    if (isLast || left <= 0 || signal?.aborted) return last()
    try {
      await wait(pauseMs, signal)
    } catch {
      return last() // The wait was interrupted: what there is, is what the caller gets.
    }
  }
}

/** What does not become better by asking again; `not-json` is of a success, a failure may well be a page. */
const hopeless = ['certificate', 'redirect', 'too-large', 'too-deep', 'encoded', 'not-json', 'aborted']
