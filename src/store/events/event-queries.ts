import type { EventType } from '../../domain/events/event-table.ts'
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
  events: async (customer: string, { after, types, since, limit }: EventFilter): Promise<EventRow[]> => {
    const marks = types?.map((_, at) => `$${at + 5}`).join(', ')
    const from = since === null ? 0 : await cursorBefore(sql, customer, since)
    if (from === undefined) return []
    return sql.query<EventRow>(
      `select ${eventColumns} from events e where e.customer = $1 and e.cursor > $2 and e.at >= $3
       ${marks === undefined ? '' : `and e.type in (${marks || 'null'})`} order by e.cursor limit $4`,
      [customer, Math.max(after, from), since ?? 0, limit, ...(types ?? [])],
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
   * place among all events is given only here, after their commit, so a reader never skips one that commits late. The row of the last place is locked, so
   * one process at a time numbers the events of a customer.
   */
  numberEvents: (customer: string): Promise<void> =>
    sql.transaction(
      async (tx) => {
        const { query } = tx
        const [place] = await query<{ last: number }>(
          `insert into event_places (customer, last) select cast($1 as text), coalesce(max(cursor), 0) from events where customer = $1
           on conflict (customer) do update set last = case when excluded.last > event_places.last then excluded.last else event_places.last end returning last`,
          [customer],
        )
        const last = Number(place!.last)
        const numbered = await query<{ id: string }>(
          `update events set cursor = $2 + places.place from
             (select id, row_number() over (order by at, subject, seq) as place from events where customer = $1 and cursor is null
              order by at, subject, seq limit ${numberedAtOnce}) as places
           where events.id = places.id and events.cursor is null returning events.id`,
          [customer, last],
        )
        if (numbered.length === 0) return
        await query('update event_places set last = $2 where customer = $1', [
          customer,
          last + numbered.length,
        ])
        // What an event is put behind stays locked until the commit, so that its end finds the event and marks it.
        await query(
          `update webhook_deliveries set followed = $3 from
             (select distinct p.id, e.subject from events e join webhook_endpoints p on p.customer = e.customer and p.disabled_at is null
              where e.customer = $1 and e.cursor > $2 and e.cursor <= $3) as added
           where endpoint_id = added.id and webhook_deliveries.subject = added.subject and state = 'pending' and is_next = 1`,
          [customer, last, last + numbered.length],
        )
        const woken = await query<{ id: string }>(
          `insert into webhook_deliveries (id, endpoint_id, event_id, customer, subject, seq, state, due_at, created_at, updated_at, is_next)
           select ${deliveryId}, p.id, e.id, e.customer, e.subject, e.seq, 'pending', 0, cast($4 as bigint), cast($4 as bigint),
             case when row_number() over (partition by p.id, e.subject order by e.seq) > 1 or exists (select 1 from webhook_deliveries d where d.endpoint_id = p.id
               and d.subject = e.subject and d.state = 'pending' and d.is_next = 1 and d.followed = $3) then 0 else 1 end
           from events e join webhook_endpoints p on p.customer = e.customer and p.disabled_at is null
           where e.customer = $1 and e.cursor > $2 and e.cursor <= $3 and (e.endpoint_id is null or e.endpoint_id = p.id)
           and (e.test = 1 or ${isWantedType})
           on conflict (endpoint_id, event_id) do nothing returning endpoint_id as id`,
          [customer, last, last + numbered.length, announcing.now()],
        )
        await announcing.add(tx, [
          ...[...new Set(woken.map(({ id }) => id))].map((key) => ({
            queue: 'webhooks.deliver' as const,
            key,
          })),
          ...(numbered.length === numberedAtOnce ? [{ queue: 'events.number' as const, key: customer }] : []),
        ])
      },
      { isOrderedByLocks: true },
    ),

  /** The customers with events without a cursor. */
  customersToNumber: async (): Promise<string[]> => [
    ...new Set(
      // The order is that of the index of what has no cursor.
      (
        await sql.query<{ customer: string }>(
          'select customer from events where cursor is null order by customer, at',
        )
      ).map(({ customer }) => customer),
    ),
  ],

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

/** The id of the delivery of an event `e` to an endpoint `p`, as SQL. */
export const deliveryId = `'dlv_' || substr(e.id, 5) || '_' || substr(p.id, 4, 8)`

/** Whether the type of an event `e` is one that an endpoint `p` wants, as SQL. */
export const isWantedType = `(p.types is null or replace(p.types, '"' || e.type || '"', '') <> p.types)`

/** How much later an event may be numbered than one that was told after it, in ms: above the longest transaction. */
const latestNumberedMs = 600_000

/** A cursor before all events of a customer since a time; `undefined` if there are none. */
async function cursorBefore(
  { query }: Pick<Sql, 'query'>,
  customer: string,
  since: number,
): Promise<number | undefined> {
  const [first] = await query<{ at: number }>(
    'select at from events where customer = $1 and at >= $2 and cursor is not null order by at limit 1',
    [customer, since],
  )
  if (!first) return undefined
  const [row] = await query<{ cursor: number }>(
    'select min(cursor) as cursor from events where customer = $1 and at >= $2 and at <= $3 and cursor is not null',
    [customer, first.at, Number(first.at) + latestNumberedMs],
  )
  return Number(row!.cursor) - 1
}
