import { totalsOf } from '../engine/list-conditions.ts'
import type { Sql } from '../sql/sql-types.ts'
import { deliveryId, type EventRow, eventColumns, isWantedType } from './event-queries.ts'
import { freeAt } from './event-tables.ts'
import type { Alongside, Announcing } from './write-event.ts'

/** The state of a delivery: on its way, received, or given up. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'dead'

/**
 * A delivery as it is stored. `attempt` counts all attempts and names the one under way, whose process holds it until `leasedUntil`; `tries` counts those
 * of the schedule, which starts again when it is sent again.
 */
export type DeliveryRow = {
  id: string
  endpointId: string
  eventId: string
  customer: string
  subject: string
  seq: number
  state: WebhookDeliveryState
  attempt: number
  tries: number
  dueAt: number
  leasedUntil: number
  response: number | null
  error: string | null
  createdAt: number
  updatedAt: number
  /** 0 while it waits behind another one of its subject. */
  isNext: number
}

/** A delivery with the type of its event. */
export type ListedDelivery = DeliveryRow & { type: string }

const deliveryColumns = `d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.customer, d.subject, d.seq, d.state, d.attempt, d.tries,
  d.due_at as "dueAt", d.leased_until as "leasedUntil", d.response, d.error, d.created_at as "createdAt", d.updated_at as "updatedAt", d.is_next as "isNext"`

/** A delivery of an endpoint of a customer, by its id. */
const oneDelivery = `select ${deliveryColumns}, (select type from events e where e.id = d.event_id) as type from webhook_deliveries d
  where d.customer = $1 and d.endpoint_id = $2 and d.id = $3`

/** The outcome of an attempt as it is kept. */
export type AttemptOutcome = {
  state: WebhookDeliveryState
  tries: number
  dueAt: number
  response: number | null
  error: string | null
}

/** A claim and its outcome are each one conditional update of one row. Deliveries lie close together, so that PostgreSQL would see conflicts between any two. */
const rowByRow = { isOrderedByLocks: true }

/** A waiting delivery that is marked as possibly the next of its subject: one of each subject, and at times one more. As SQL. */
const isNext = `d.state = 'pending' and d.is_next = 1`

/** It is the first of its subject that waits for the endpoint: then a delivery may be sent. As SQL that PostgreSQL does not turn into a join with all that waits. */
const isFirst = `d.seq = (select first.seq from webhook_deliveries first where first.endpoint_id = d.endpoint_id and first.subject = d.subject
  and first.state = 'pending' order by first.seq limit 1)`

/** The queries about deliveries. Each result of an attempt applies only while the delivery is as the attempt has left it. */
export const deliveryQueries = (sql: Sql, announcing: Announcing, totals = totalsOf(sql)) => ({
  /** The first waiting delivery of each subject of an endpoint that is due, the oldest first. */
  dueDeliveries: (endpointId: string, now: number, limit: number): Promise<DeliveryRow[]> =>
    sql.query<DeliveryRow>(
      `select ${deliveryColumns} from webhook_deliveries d where d.endpoint_id = $1 and ${isNext} and ${freeAt} <= $2 and ${isFirst}
       order by ${freeAt}, d.seq limit $3`,
      [endpointId, now, limit],
    ),

  /** Claims a delivery for one more attempt, with its event; `undefined` if another process has. */
  claimDelivery: (
    { id, attempt }: Pick<DeliveryRow, 'id' | 'attempt'>,
    { now, leaseMs }: { now: number; leaseMs: number },
  ): Promise<EventRow | undefined> =>
    sql.transaction(async ({ query }) => {
      const [claimed] = await query<{ eventId: string }>(
        `update webhook_deliveries set attempt = attempt + 1, leased_until = $3
         where id = $1 and attempt = $2 and state = 'pending' and leased_until <= $4 returning event_id as "eventId"`,
        [id, attempt, now + leaseMs, now],
      )
      if (!claimed) return undefined
      const [event] = await query<EventRow>(`select ${eventColumns} from events e where e.id = $1`, [
        claimed.eventId,
      ])
      return event
    }, rowByRow),

  /** Keeps the outcome of the attempt with this number, unless a later one began. */
  keepAttempt: async (
    { id, attempt }: Pick<DeliveryRow, 'id' | 'attempt'>,
    { state, tries, dueAt, response, error }: AttemptOutcome,
    now: number,
  ): Promise<boolean> =>
    sql.transaction(async ({ query }) => {
      const [kept] = await query<Pick<DeliveryRow, 'endpointId' | 'subject' | 'seq'>>(
        `update webhook_deliveries set state = $3, tries = $4, due_at = $5, response = $6, error = $7, leased_until = 0, updated_at = $8
         where id = $1 and attempt = $2 and state = 'pending' returning endpoint_id as "endpointId", subject, seq`,
        [id, attempt, state, tries, dueAt, response, error, now],
      )
      if (!kept) return false
      // The row is locked now, so the deliveries that were put behind it are committed.
      if (state !== 'pending')
        await query(
          `update webhook_deliveries set is_next = 1 where is_next = 0 and state = 'pending' and id = (select later.id from webhook_deliveries later
             where later.endpoint_id = $1 and later.subject = $2 and later.state = 'pending' and later.seq > $3 order by later.seq limit 1)`,
          [kept.endpointId, kept.subject, Number(kept.seq)],
        )
      return true
    }, rowByRow),

  /** When the next delivery of an endpoint is due, in epoch ms; `null` without one. A lease counts until its end. */
  nextDue: async (endpointId: string): Promise<number | null> => {
    const [row] = await sql.query<{ at: number | null }>(
      `select ${freeAt} as at from webhook_deliveries d where d.endpoint_id = $1 and ${isNext} and ${isFirst}
       order by ${freeAt}, d.seq limit 1`,
      [endpointId],
    )
    return row?.at ?? null
  },

  /** Marks the next delivery of each subject that has none marked: a process of an older version ends deliveries without marking the next. */
  markNext: async (): Promise<void> => {
    await sql.query(
      `update webhook_deliveries set is_next = 1 where id in (select d.id from webhook_deliveries d where d.state = 'pending' and d.is_next = 0 and ${isFirst})`,
    )
  },

  /** The endpoints with a waiting delivery. */
  endpointsWithDeliveries: async (): Promise<string[]> =>
    (
      await sql.query<{ id: string }>(
        `select distinct endpoint_id as id from webhook_deliveries where state = 'pending'`,
      )
    ).map(({ id }) => id),

  /** A page of the deliveries of an endpoint, newest first. */
  deliveries: async (
    customer: string,
    endpointId: string,
    { state, limit, offset }: { state: WebhookDeliveryState | null; limit: number; offset: number },
  ): Promise<{ rows: ListedDelivery[]; total: number }> => {
    const where = `d.customer = $1 and d.endpoint_id = $2 ${state === null ? '' : 'and d.state = $3'}`
    const values = [customer, endpointId, ...(state === null ? [] : [state])]
    const at = values.length
    const rows = await sql.query<ListedDelivery>(
      `select ${deliveryColumns}, (select type from events e where e.id = d.event_id) as type from webhook_deliveries d
       where ${where} order by d.created_at desc, d.seq desc, d.id limit $${at + 1} offset $${at + 2}`,
      [...values, limit, offset],
    )
    const total = await totals(`select count(*) as n from webhook_deliveries d where ${where}`, values)
    return { rows, total }
  },

  /** Starts a delivery of an endpoint again, with the whole schedule; one that waits is due now. `undefined` if it is not there. */
  resend: (
    { customer, endpointId, id }: { customer: string; endpointId: string; id: string },
    alongside?: Alongside<ListedDelivery>,
  ): Promise<ListedDelivery | undefined> =>
    sql.transaction(async (tx) => {
      await tx.query(
        `update webhook_deliveries set state = 'pending', tries = 0, due_at = 0, is_next = 1, updated_at = $4 where customer = $1 and endpoint_id = $2 and id = $3`,
        [customer, endpointId, id, announcing.now()],
      )
      const [row] = await tx.query<ListedDelivery>(oneDelivery, [customer, endpointId, id])
      if (!row) return undefined
      await announcing.add(tx, [{ queue: 'webhooks.deliver', key: endpointId }])
      await alongside?.(tx, row)
      return row
    }),

  /**
   * Sends a customer's events since a time to an endpoint again, those of its types; returns how many. One that waits for its next attempt is due now. The first of
   * each subject is marked as the next; what waits before it, if anything, still goes first.
   */
  replay: (
    { customer, endpointId, since }: { customer: string; endpointId: string; since: number },
    alongside?: Alongside<number>,
  ): Promise<number> =>
    sql.transaction(async (tx) => {
      const sent = await tx.query(
        `insert into webhook_deliveries (id, endpoint_id, event_id, customer, subject, seq, state, due_at, created_at, updated_at, is_next)
         select ${deliveryId}, p.id, e.id, e.customer, e.subject, e.seq, 'pending', 0, cast($4 as bigint), cast($4 as bigint),
           case when row_number() over (partition by e.subject order by e.seq) = 1 then 1 else 0 end
         from events e join webhook_endpoints p on p.id = $2 and p.customer = e.customer
         where e.customer = $1 and e.at >= $3 and e.cursor is not null and (e.endpoint_id is null or e.endpoint_id = p.id) and ${isWantedType}
         on conflict (endpoint_id, event_id) do update set state = 'pending', tries = 0, due_at = 0, updated_at = excluded.updated_at,
           is_next = case when webhook_deliveries.state = 'pending' and webhook_deliveries.is_next = 1 then 1 else excluded.is_next end
         returning id`,
        [customer, endpointId, since, announcing.now()],
      )
      await announcing.add(tx, [{ queue: 'webhooks.deliver', key: endpointId }])
      await alongside?.(tx, sent.length)
      return sent.length
    }, rowByRow),
})
