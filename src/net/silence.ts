import { AppError } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'

/** How long an endpoint may owe every answer before it counts as silent, and how long one is left out that let a deadline pass, in ms. */
export type Patience = { silentMs?: number; leftOutMs?: number }

/** What is known of an endpoint by its answers: the times are of the monotonic clock, and `open` are when those exchanges began that are not over. */
type Known = { open: Set<{ since: number }>; answered: number; outUntil: number; failed: boolean }

/**
 * The endpoints of one chain, of which one that takes what it is asked and never answers is asked nothing more for a while: it is as one
 * that is down, RPC_UNREACHABLE at once, as long as another one is up. Otherwise every question waits for it anew.
 */
export function leavingOutSilent(
  endpoints: readonly Endpoint[],
  { silentMs, leftOutMs = 60_000 }: Patience & { silentMs: number },
): Endpoint[] {
  const known = endpoints.map(
    (): Known => ({ open: new Set(), answered: -Infinity, outUntil: -Infinity, failed: false }),
  )
  const isSilent = ({ open, answered, outUntil }: Known): boolean => {
    const now = performance.now()
    const oldest = Math.min(...[...open].map(({ since }) => since))
    return now < outUntil || now - Math.max(oldest, answered) > silentMs
  }
  const isUp = (one: Known): boolean => !one.failed && !isSilent(one)
  return endpoints.map(({ host, exchange }, at) => {
    const own = known[at]!
    return {
      host,
      exchange: async (body, deadlineMs) => {
        if (isSilent(own) && known.some((other) => other !== own && isUp(other)))
          throw new AppError(
            'RPC_UNREACHABLE',
            `The node at ${host} did not answer, and is left out for now`,
            {
              details: { host, fault: 'silent' },
            },
          )
        const one = { since: performance.now() }
        own.open.add(one)
        try {
          const answer = await exchange(body, deadlineMs)
          Object.assign(own, { answered: performance.now(), outUntil: -Infinity, failed: false })
          return answer
        } catch (error) {
          own.failed = true
          const isLate = error instanceof AppError && error.details?.fault === 'deadline'
          // Whoever refuses is heard; and one that was slow with a question has answered others since.
          if (isLate && own.answered < one.since) own.outUntil = performance.now() + leftOutMs
          if (!isLate) own.answered = performance.now()
          throw error
        } finally {
          own.open.delete(one)
        }
      },
    }
  })
}
