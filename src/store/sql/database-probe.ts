import { AppError } from '../../domain/errors.ts'
import type { Sql } from './sql-types.ts'

/** The database of a server, as its probes and metrics need it. `schema` is the version that this program knows. */
export type DatabaseProbe = { sql: Sql; kind: 'sqlite' | 'postgres'; schema: number }

/** The connections of a pool. */
export type PoolCounts = { inUse: number; idle: number; waiting: number }

/** What a database holds for later: due jobs by queue, events without a place, waiting deliveries with the time of the oldest (epoch ms), and dead letters. */
export type Backlog = {
  queues: { queue: string; count: number }[]
  unnumbered: number
  waiting: number
  oldestAt: number | null
  dead: number
}

const dueJobs = {
  sqlite: 'select queue, count(*) as count from jobs where claim is null and due_at <= $1 group by queue',
  postgres: `select name as queue, count(*) as count from sluice_jobs.job where state = 'created' and start_after <= to_timestamp($1::double precision / 1000) group by name`,
} as const

/** Reads what a database holds for later. Each count has an index of its own. */
export async function readBacklog({ sql, kind }: DatabaseProbe, now: number): Promise<Backlog> {
  const [queues, [events], [pending], [dead]] = await Promise.all([
    sql.query<{ queue: string; count: number }>(dueJobs[kind], [now]),
    sql.query<{ n: number }>('select count(*) as n from events where cursor is null'),
    sql.query<{ n: number; at: number | null }>(
      `select count(*) as n, min(created_at) as at from webhook_deliveries where state = 'pending'`,
    ),
    sql.query<{ n: number }>(`select count(*) as n from webhook_deliveries where state = 'dead'`),
  ])
  return {
    queues: queues.map(({ queue, count }) => ({ queue, count: Number(count) })),
    unnumbered: Number(events?.n ?? 0),
    waiting: Number(pending?.n ?? 0),
    oldestAt: pending?.at == null ? null : Number(pending.at),
    dead: Number(dead?.n ?? 0),
  }
}

/** Throws STATE_UNUSABLE unless the database takes writes. Nothing is stored: the transaction changes no row, which a read-only database refuses too. */
export const probeWrites = (sql: Sql): Promise<void> =>
  sql.transaction(async ({ query }) => {
    await query('update chain_tracking set holder = holder where chain_id = -1')
  })

/** Throws STATE_UNUSABLE if the schema is older than this program. A newer one is that of the next version, which starts beside this one. */
export async function probeSchema(sql: Sql, kind: 'sqlite' | 'postgres', wanted: number): Promise<void> {
  const [row] = await sql.query<Record<string, number>>(
    kind === 'sqlite' ? 'pragma user_version' : 'select version from sluice_schema',
  )
  const found = Number(Object.values(row ?? {})[0] ?? 0)
  if (found >= wanted) return
  throw new AppError('STATE_UNUSABLE', `The database has schema ${found}, but this version needs ${wanted}`)
}
