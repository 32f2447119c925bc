import type { EventType } from '../../domain/events/event-table.ts'
import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'
import { type Alongside, type Announcing, writeEvent } from './write-event.ts'

/** An event as it is stored. `data` is JSON text; `cursor` is `null` until it is numbered. */
export type EventRow = {
  id: string
  customer: string
  type: EventType
  subject: string
  seq: number
  at: number
  data: string
  test: number
  endpointId: string | null
  cursor: number | null
}

/** The columns of an `EventRow`. */
export const eventColumns = `e.id, e.customer, e.type, e.subject, e.seq, e.at, e.data, e.test, e.endpoint_id as "endpointId", e.cursor`

/** The filters of a read of events: those after a cursor, of these types, and not before a time. */
type EventFilter = { after: number; types: readonly string[] | null; since: number | null; limit: number }

/** How many events one transaction numbers. */
const numberedAtOnce = 500

/** The queries about events; each names its customer. */
export const eventQueries = (sql: Sql, announcing: Announcing) => ({
  /** Writes an event that no other table tells. */
  tell: (event: Parameters<typeof writeEvent>[2], alongside?: Alongside<string>): Promise<string> =>
    sql.transaction(async (tx) => {
      const id = await writeEvent(tx, announcing, event)
      await alongside?.(tx, id)
      return id
    }),

  /** A page of a customer's numbered events, in their order. */
  events: (customer: string, { after, types, since, limit }: EventFilter): Promise<EventRow[]> => {
    const marks = types?.map((_, at) => `$${at + 5}`).join(', ')
    return sql.query<EventRow>(
      `select ${eventColumns} from events e where e.customer = $1 and e.cursor > $2 and e.at >= $3
       ${marks === undefined ? '' : `and e.type in (${marks || 'null'})`} order by e.cursor limit $4`,
      [customer, after, since ?? 0, limit, ...(types ?? [])],
    )
  },

  /** The cursor of the newest event of a customer; 0 before the first. */
  lastCursor: async (customer: string): Promise<number> => {
    const [row] = await sql.query<{ cursor: number | null }>(
      'select max(cursor) as cursor from events where customer = $1',
      [customer],
    )
    return Number(row?.cursor ?? 0)
  },

  /** The committed cursor of a consumer; 0 before its first commit. */
  consumerCursor: async (customer: string, name: string): Promise<number> => {
    const [row] = await sql.query<{ cursor: number }>(
      'select cursor from event_consumers where customer = $1 and name = $2',
      [customer, name],
    )
    return Number(row?.cursor ?? 0)
  },

  /** Commits the cursor of a consumer, forward only unless it seeks. Returns the committed one. */
  commitConsumer: async (
    customer: string,
    { name, cursor, isSeek }: { name: string; cursor: number; isSeek: boolean },
  ): Promise<number> => {
    const [row] = await sql.query<{ cursor: number }>(
      `insert into event_consumers (customer, name, cursor, committed_at) values ($1, $2, $3, $4)
       on conflict (customer, name) do update set committed_at = excluded.committed_at,
         cursor = case when $5 = 1 or excluded.cursor > event_consumers.cursor then excluded.cursor else event_consumers.cursor end returning cursor`,
      [customer, name, cursor, announcing.now(), isSeek ? 1 : 0],
    )
    return Number(row!.cursor)
  },

  /**
   * Numbers the committed events of a customer that have no cursor yet, a part of them, and makes a delivery of each for every endpoint that wants it. The
   * place among all events is given only here, after their commit, so a reader never skips one that commits late.
   */
  numberEvents: (customer: string): Promise<void> =>
    sql.transaction(async (tx) => {
      const { query } = tx
      const rows = await query<EventRow>(
        `select ${eventColumns} from events e where e.customer = $1 and e.cursor is null order by e.at, e.subject, e.seq limit ${numberedAtOnce}`,
        [customer],
      )
      if (rows.length === 0) return
      const [last] = await query<{ cursor: number | null }>(
        'select max(cursor) as cursor from events where customer = $1',
        [customer],
      )
      const endpoints = await query<{ id: string; types: string | null }>(
        'select id, types from webhook_endpoints where customer = $1 and disabled_at is null',
        [customer],
      )
      const wanting = endpoints.map(({ id, types }) => ({
        id,
        types: types === null ? null : new Set(JSON.parse(types) as string[]),
      }))
      const woken = new Set<string>()
      let cursor = Number(last?.cursor ?? 0)
      for (const event of rows) {
        cursor++
        await query('update events set cursor = $2 where id = $1 and cursor is null', [event.id, cursor])
        for (const { id, types } of wanting) {
          if (event.endpointId !== null && event.endpointId !== id) continue
          if (types !== null && !types.has(event.type) && event.test === 0) continue
          woken.add(id)
          await query(...newDelivery(event, id, announcing.now()))
        }
      }
      const isMore = rows.length === numberedAtOnce
      await announcing.add(tx, [
        ...[...woken].map((key) => ({ queue: 'webhooks.deliver' as const, key })),
        ...(isMore ? [{ queue: 'events.number' as const, key: customer }] : []),
      ])
    }),

  /** The customers with events without a cursor. */
  customersToNumber: async (): Promise<string[]> =>
    (await sql.query<{ customer: string }>('select distinct customer from events where cursor is null')).map(
      ({ customer }) => customer,
    ),

  /** Deletes events that are older than a time, with their deliveries, but not those that are still on their way. */
  deleteOldEvents: (before: number): Promise<void> =>
    sql.transaction(async ({ query }) => {
      const old = `select id from events e where e.at < $1 and e.cursor is not null
        and not exists (select 1 from webhook_deliveries d where d.event_id = e.id and d.state = 'pending')`
      await query(`delete from webhook_deliveries where event_id in (${old})`, [before])
      // The newest of a customer stays, because its cursor is the next one's basis.
      await query(
        `delete from events where id in (${old}) and cursor < (select max(cursor) from events newest where newest.customer = events.customer)`,
        [before],
      )
    }),
})

/** The statement that makes a delivery of an event for an endpoint, or starts it again. */
export const newDelivery = (
  event: Pick<EventRow, 'id' | 'customer' | 'subject' | 'seq'>,
  endpointId: string,
  now: number,
) =>
  insertOf(
    'webhook_deliveries',
    {
      id: `dlv_${event.id.slice(4)}_${endpointId.slice(3, 11)}`,
      endpointId,
      eventId: event.id,
      customer: event.customer,
      subject: event.subject,
      seq: event.seq,
      state: 'pending',
      dueAt: 0,
      createdAt: now,
      updatedAt: now,
    },
    `on conflict (endpoint_id, event_id) do update set state = 'pending', tries = 0, due_at = excluded.due_at, updated_at = excluded.updated_at
     where webhook_deliveries.state <> 'pending'`,
  )
