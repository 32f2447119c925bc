import type { EventType } from '../../domain/events/event-table.ts'
import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'
import { type Alongside, type Announcing, writeEvent } from './write-event.ts'

/**
 * An endpoint as it is stored. `types` is JSON, `null` for all; `secrets` is JSON of `Secret[]`; lines are decimal text. After `failures` failed attempts
 * in a row nothing is sent before `restsUntil`.
 */
export type EndpointRow = {
  id: string
  customer: string
  url: string
  types: string | null
  payload: 'thin' | 'full'
  apyLine: string | null
  liquidityLine: string | null
  secrets: string
  createdAt: number
  disabledAt: number | null
  reason: string | null
  failures: number
  restsUntil: number
}

/** A signing secret; one that was replaced signs until `until` (epoch ms), beside the new one. */
export type Secret = { secret: string; until: number | null }

const endpointColumns = `id, customer, url, types, payload, apy_line as "apyLine", liquidity_line as "liquidityLine", secrets, created_at as "createdAt",
  disabled_at as "disabledAt", reason, failures, rests_until as "restsUntil"`

/** The queries about endpoints of webhooks. */
export const endpointQueries = (sql: Sql, announcing: Announcing) => ({
  /** Adds an endpoint, unless its customer has `most` already. */
  addEndpoint: (row: EndpointRow, most: number, alongside?: Alongside<void>): Promise<boolean> =>
    sql.transaction(async (tx) => {
      const { query } = tx
      const [count] = await query<{ n: number }>(
        'select count(*) as n from webhook_endpoints where customer = $1',
        [row.customer],
      )
      if (Number(count?.n) >= most) return false
      await query(...insertOf('webhook_endpoints', row))
      await alongside?.(tx)
      return true
    }),

  /** The endpoints of a customer, newest first. */
  endpoints: (customer: string): Promise<EndpointRow[]> =>
    sql.query<EndpointRow>(
      `select ${endpointColumns} from webhook_endpoints where customer = $1 order by created_at desc, id`,
      [customer],
    ),

  endpoint: async (customer: string, id: string): Promise<EndpointRow | undefined> =>
    (
      await sql.query<EndpointRow>(
        `select ${endpointColumns} from webhook_endpoints where customer = $1 and id = $2`,
        [customer, id],
      )
    )[0],

  /** An endpoint of any customer, for its deliveries. */
  endpointOfAny: async (id: string): Promise<EndpointRow | undefined> =>
    (await sql.query<EndpointRow>(`select ${endpointColumns} from webhook_endpoints where id = $1`, [id]))[0],

  /** Removes an endpoint with its deliveries. */
  removeEndpoint: (customer: string, id: string): Promise<boolean> =>
    sql.transaction(async ({ query }) => {
      const removed = await query<{ id: string }>(
        'delete from webhook_endpoints where customer = $1 and id = $2 returning id',
        [customer, id],
      )
      if (removed.length === 0) return false
      await query('delete from webhook_deliveries where endpoint_id = $1', [id])
      await query('delete from event_sides where endpoint_id = $1', [id])
      return true
    }),

  /** Replaces the secrets of an endpoint, if they are as they were read. */
  replaceSecrets: (
    customer: string,
    id: string,
    { secrets, was }: { secrets: string; was: string },
    alongside?: Alongside<void>,
  ): Promise<boolean> =>
    sql.transaction(async (tx) => {
      const replaced = await tx.query<{ id: string }>(
        'update webhook_endpoints set secrets = $3 where customer = $1 and id = $2 and secrets = $4 returning id',
        [customer, id, secrets, was],
      )
      if (replaced.length === 0) return false
      await alongside?.(tx)
      return true
    }),

  /** Counts the failed attempts in a row: none, or one more, with the time before which nothing is sent. */
  keepFailures: (id: string, failures: number, restsUntil: number) =>
    sql.query('update webhook_endpoints set failures = $2, rests_until = $3 where id = $1', [
      id,
      failures,
      restsUntil,
    ]),

  /** Disables an endpoint, once, with its event; its waiting deliveries become dead letters. */
  disableEndpoint: ({ id, customer, url }: EndpointRow, reason: string): Promise<void> =>
    sql.transaction(async (tx) => {
      const now = announcing.now()
      const disabled = await tx.query<{ id: string }>(
        'update webhook_endpoints set disabled_at = $2, reason = $3 where id = $1 and disabled_at is null returning id',
        [id, now, reason],
      )
      if (disabled.length === 0) return
      await tx.query(
        `update webhook_deliveries set state = 'dead', error = $2, updated_at = $3 where endpoint_id = $1 and state = 'pending'`,
        [id, 'the endpoint is disabled', now],
      )
      const data = { endpointId: id, url, reason }
      await writeEvent(tx, announcing, { customer, type: 'endpoint.disabled', id, data })
    }),

  /** Lets an endpoint get events again, those from now on: its dead letters and what it missed are sent on request only. `undefined` if it is not there. */
  enableEndpoint: (
    customer: string,
    id: string,
    alongside?: Alongside<EndpointRow>,
  ): Promise<EndpointRow | undefined> =>
    sql.transaction(async (tx) => {
      const [row] = await tx.query<EndpointRow>(
        `update webhook_endpoints set disabled_at = null, reason = null, failures = 0, rests_until = 0 where customer = $1 and id = $2 returning ${endpointColumns}`,
        [customer, id],
      )
      if (row) await alongside?.(tx, row)
      return row
    }),

  /** The customers that have an endpoint or poll events. */
  customersWithEvents: async (): Promise<string[]> =>
    (
      await sql.query<{ customer: string }>(
        'select customer from webhook_endpoints where disabled_at is null union select customer from event_consumers',
      )
    ).map(({ customer }) => customer),

  /**
   * Keeps on which side of a line a strategy is, with the event that tells a crossing, and none where it was seen the first time. The last side stays, so
   * each crossing is told once, also by several processes.
   */
  keepSide: (
    {
      customer,
      endpointId,
      slug,
      kind,
    }: { customer: string; endpointId: string; slug: string; kind: string },
    side: string,
    event: { type: EventType; data: Record<string, unknown> },
  ): Promise<void> =>
    sql.transaction(async (tx) => {
      const key = [customer, endpointId, slug, kind]
      const [known] = await tx.query<{ side: string }>(
        'select side from event_sides where customer = $1 and endpoint_id = $2 and slug = $3 and kind = $4',
        key,
      )
      if (known?.side === side) return
      await tx.query(
        `insert into event_sides (customer, endpoint_id, slug, kind, side) values ($1, $2, $3, $4, $5)
         on conflict (customer, endpoint_id, slug, kind) do update set side = excluded.side`,
        [...key, side],
      )
      if (known === undefined) return
      await writeEvent(tx, announcing, {
        customer,
        type: event.type,
        id: slug,
        data: event.data as never,
        ...(endpointId !== '' && { endpointId }),
      })
    }),
})
