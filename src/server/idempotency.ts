import { createHash, randomUUID } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import type { idempotentRequestQueries } from '../store/engine/idempotent-requests.ts'
import { type KeepText, validationError } from './route-handler.ts'

/** The request header that makes a POST safe to repeat. */
export const idempotencyHeader = 'idempotency-key'

/** The answer's header when it is that of an earlier request. */
export const replayedHeader = 'idempotent-replayed'

/** Where requests with a key are kept. */
export type IdempotentRequests = ReturnType<typeof idempotentRequestQueries>

/** A request with an idempotency key: whose it is, and what it asks for. */
type Asked = { customer: string; key: unknown; method: string; url: string; body: unknown; isDraft: boolean }

/**
 * Runs a request with an idempotency key once: a repetition gets the answer of the first, for 24 hours. IDEMPOTENCY_KEY_REUSED for another
 * request with the key, IDEMPOTENCY_KEY_RUNNING while the first one runs. A request that failed is not kept, so that it can be repeated. `run` may keep
 * its answer in the transaction of its change; else it is kept after it, and a server that ends in between leaves a key that is free after a minute.
 */
export async function runOnce(
  requests: IdempotentRequests,
  { customer, key, ...asked }: Asked,
  {
    now,
    run,
    replay,
  }: {
    now: () => number
    run: (keep: KeepText) => Promise<string | Buffer>
    replay: (answer: string) => string
  },
): Promise<string | Buffer> {
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw validationError([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }])
  const holder = randomUUID()
  const digest = createHash('sha256')
    .update(JSON.stringify(sorted(asked)))
    .digest('base64url')
  const found = await requests.beginRequest(customer, key, { digest, holder, now: now() })
  if (found.is === 'answered') return replay(found.answer)
  if (found.is === 'running')
    throw new AppError('IDEMPOTENCY_KEY_RUNNING', 'A request with this idempotency key is still running', {
      details: { retryAfterSeconds: 1 },
    })
  if (found.is === 'other')
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for another request')
  try {
    const answer = await run((tx, text) =>
      requests.keepAnswer(tx, { customer, name: key }, { holder, answer: text, now: now() }),
    )
    await requests.answerRequest(customer, key, { holder, answer: String(answer), now: now() })
    return answer
  } catch (error) {
    // If this fails too, the key is free after a minute.
    await requests.forgetRequest(customer, key, holder).catch(() => undefined)
    throw error
  }
}

/** A JSON value with the fields of its objects in one order. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, one]) => [name, sorted(one)]),
        )
      : value
