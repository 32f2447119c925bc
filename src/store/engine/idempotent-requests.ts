import { AppError } from '../../domain/errors.ts'
import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/**
 * The table of requests with an idempotency key, by customer. `digest` is of the request, `holder` of the try that runs it, `answer` the body of
 * its success; without one, it runs until `until` (epoch ms), when its server must have ended. A row with an answer is kept until `until`.
 */
export const idempotentRequestSchema = `create table idempotent_requests (
     customer text not null, name text not null, digest text not null, holder text not null, answer text, until bigint not null,
     primary key (customer, name));
   create index idempotent_requests_old on idempotent_requests (until)`

/** How long an answer is kept, in ms. */
const keptMs = 24 * 3_600_000

/** How long a request may run, in ms: longer than a server waits for an answer. */
const runsMs = 60_000

/** How often old requests are deleted, in ms. */
const sweepMs = 60_000

/** What is known of an idempotency key: `new` is ours to run, `running` runs elsewhere, `other` was for another request. */
export type IdempotentRequest =
  | { is: 'new' }
  | { is: 'running' }
  | { is: 'other' }
  | { is: 'answered'; answer: string }

/** The queries about requests with an idempotency key. */
export function idempotentRequestQueries(sql: Sql) {
  let swept = 0
  return {
    /** Takes a key for a request, unless another try has it. `holder` is unique. */
    beginRequest: async (
      customer: string,
      name: string,
      { digest, holder, now }: { digest: string; holder: string; now: number },
    ): Promise<IdempotentRequest> => {
      if (now > swept + sweepMs) {
        swept = now
        await sql.query('delete from idempotent_requests where until < $1', [now])
      }
      const again = `on conflict (customer, name) do update set digest = excluded.digest, holder = excluded.holder, answer = null, until = excluded.until
      where idempotent_requests.until < $6 returning holder`
      const [text, values] = insertOf(
        'idempotent_requests',
        { customer, name, digest, holder, until: now + runsMs },
        again,
      )
      const taken = await sql.query(text, [...values, now])
      if (taken.length > 0) return { is: 'new' }
      const [known] = await sql.query<{ digest: string; answer: string | null }>(
        'select digest, answer from idempotent_requests where customer = $1 and name = $2',
        [customer, name],
      )
      if (known && known.digest !== digest) return { is: 'other' }
      // One that has just failed can be repeated like one that runs.
      return known && known.answer !== null ? { is: 'answered', answer: known.answer } : { is: 'running' }
    },

    /** Keeps the answer of a request for 24 hours, if its try still has the key. */
    answerRequest: (
      customer: string,
      name: string,
      { holder, answer, now }: { holder: string; answer: string; now: number },
    ) =>
      sql.query(
        'update idempotent_requests set answer = $4, until = $5 where customer = $1 and name = $2 and holder = $3 and answer is null',
        [customer, name, holder, answer, now + keptMs],
      ),

    /** Keeps the answer in the transaction of the change that it tells. IDEMPOTENCY_KEY_RUNNING, which undoes the change, if the try lost the key. */
    keepAnswer: async (
      { query }: Pick<Sql, 'query'>,
      { customer, name }: { customer: string; name: string },
      { holder, answer, now }: { holder: string; answer: string; now: number },
    ): Promise<void> => {
      const kept = await query(
        'update idempotent_requests set answer = $4, until = $5 where customer = $1 and name = $2 and holder = $3 and answer is null returning holder',
        [customer, name, holder, answer, now + keptMs],
      )
      if (kept.length > 0) return
      throw new AppError('IDEMPOTENCY_KEY_RUNNING', 'Another request with this idempotency key is running', {
        details: { retryAfterSeconds: 1 },
      })
    },

    /** Frees the key of a request that failed. */
    forgetRequest: (customer: string, name: string, holder: string) =>
      sql.query(
        'delete from idempotent_requests where customer = $1 and name = $2 and holder = $3 and answer is null',
        [customer, name, holder],
      ),
  }
}
