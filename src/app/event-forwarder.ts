import type { PolledEvent } from '../api/webhooks.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { newSecret, webhookHeaders } from '../events/signature.ts'
import { type GuardedAnswer, guardedPost, urlFlaw } from '../http/guarded-post.ts'

const timeoutMs = 15_000

/** Posts events to a URL of the person, signed with this secret, or a new one for this run. USAGE for a text that is no URL. */
export function eventForwarder(
  url: string,
  given?: string,
): {
  secret: string
  send: (event: PolledEvent) => Promise<GuardedAnswer>
} {
  const own = { allowLoopback: true, anyAddress: true }
  const flaw = urlFlaw(url, own)
  if (flaw !== undefined)
    throw new AppError('USAGE', `The URL that events go to ${flaw}`, {
      next: sluice('webhooks listen', { '--forward-to': 'http://localhost:3000/hook' }),
    })
  const secret = given ?? newSecret()
  return {
    secret,
    send: ({ cursor: _, ...event }) => {
      const body = JSON.stringify(event)
      const headers = webhookHeaders([secret], { id: event.id, at: Date.now(), body })
      return guardedPost({ ...own, url, headers, body, timeoutMs })
    },
  }
}
