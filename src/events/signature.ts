import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** Makes a signing secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/**
 * The headers of an event by the Standard Webhooks specification (https://www.standardwebhooks.com): one signature for each secret, so that a receiver can
 * replace its secret. `at` is epoch ms.
 */
export function webhookHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const timestamp = Math.floor(at / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
