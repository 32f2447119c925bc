import { fromEnvelope } from '../api/envelope.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import type { HttpAnswer } from '../net/http.ts'
import { backoffMs, retryAfterMs, wait } from '../net/patience.ts'

/** What one call may cost: all tries and waits together `budgetMs`. What changes something is asked once. */
export type Patience = { mayRetry: boolean; budgetMs: number; signal?: AbortSignal }

const mostRetries = 3

/** Asks until there is an answer that is worth having, at most four times, and gives back or throws the last one. */
export async function patiently(
  { mayRetry, budgetMs, signal }: Patience,
  exchange: (deadlineMs: number) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const until = performance.now() + budgetMs
  for (let tried = 1; ; tried++) {
    let waitMs = backoffMs(tried)
    let last: () => HttpAnswer
    try {
      const answer = await exchange(until - performance.now())
      if (answer.status < 500 && answer.status !== 429) return answer
      waitMs = retryAfterMs(answer.headers['retry-after'], Date.now()) ?? waitMs
      last = () => answer
    } catch (error) {
      if (!(error instanceof AppError) || hopeless.includes(String(error.details?.fault))) throw error
      last = () => {
        throw error
      }
    }
    if (!mayRetry || tried > mostRetries || performance.now() + waitMs >= until || signal?.aborted)
      return last()
    try {
      await wait(waitMs, signal)
    } catch {
      return last() // The wait was interrupted: what there is, is what the caller gets.
    }
  }
}

const hopeless = ['redirect', 'too-large', 'too-deep', 'encoded', 'aborted']

/** What a status that is no success says: the service's own error. Anything from 500 on is the service's fault, whatever it calls it, and 429 says how long to wait. */
export function refusal({ status, headers, body }: HttpAnswer): AppError {
  const said = fromEnvelope(status, body)
  if (status === 429) {
    const seconds = Math.ceil((retryAfterMs(headers['retry-after'], Date.now()) ?? 60_000) / 1000)
    return new AppError('RATE_LIMITED', said.message, {
      details: { ...said.details, retryAfterSeconds: seconds },
      hint: `Wait ${seconds} s, then try again.`,
    })
  }
  if (status >= 500 && errorRow(said.code).exit !== 6)
    return new AppError('INTERNAL_SERVER_ERROR', said.message, {
      details: { ...said.details, code: said.code },
    })
  return said
}
