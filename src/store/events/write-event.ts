import { randomUUID } from 'node:crypto'
import { type EventData, type EventType, subjectOf } from '../../domain/events/event-table.ts'
import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/** What a store needs to announce its changes: the clock, and how a job is added in the transaction of the change that it is about. */
export type Announcing = {
  now: () => number
  add: (
    tx: Pick<Sql, 'query'>,
    jobs: readonly {
      queue: 'events.number' | 'webhooks.deliver' | 'quotes.expire'
      key: string
      at?: number
    }[],
  ) => Promise<void>
}

/** What is written in the same transaction as a change, once its result is known. */
export type Alongside<result> = (tx: Pick<Sql, 'query'>, result: result) => Promise<void>

/** An event to write: `id` names its subject; `told` is the state that it tells. */
type NewEvent<type extends EventType> = {
  customer: string
  type: type
  id: string
  data: EventData<type>
  told?: string
  endpointId?: string
  isTest?: boolean
}

/**
 * Writes an event in the transaction of the change that it tells, as the next one of its subject. Its time is never before that of the event before it.
 * Returns its id.
 */
export async function writeEvent<type extends EventType>(
  { query }: Pick<Sql, 'query'>,
  { now, add }: Announcing,
  { customer, type, id: subjectId, data, told, endpointId, isTest = false }: NewEvent<type>,
): Promise<string> {
  const subject = subjectOf(type, subjectId)
  const [place] = await query<{ seq: number; at: number }>(
    `insert into event_subjects (customer, subject, seq, told, at) values ($1, $2, 1, $3, $4)
     on conflict (customer, subject) do update set seq = event_subjects.seq + 1, told = coalesce(excluded.told, event_subjects.told),
       at = case when excluded.at > event_subjects.at then excluded.at else event_subjects.at end
     returning seq, at`,
    [customer, subject, told ?? null, now()],
  )
  const { seq, at } = place!
  const id = `evt_${randomUUID()}`
  const row = {
    id,
    customer,
    type,
    subject,
    seq,
    at,
    data: JSON.stringify(data),
    test: isTest ? 1 : 0,
    endpointId: endpointId ?? null,
  }
  await query(...insertOf('events', row))
  await add({ query }, [{ queue: 'events.number', key: customer }])
  return id
}

/** The state that the last event of a subject told; `undefined` before its first one. */
export async function lastTold(
  { query }: Pick<Sql, 'query'>,
  customer: string,
  subject: string,
): Promise<string | undefined> {
  const [row] = await query<{ told: string | null }>(
    'select told from event_subjects where customer = $1 and subject = $2',
    [customer, subject],
  )
  return row?.told ?? undefined
}
