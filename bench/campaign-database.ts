import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Jobs } from '../src/jobs/jobs-type.ts'
import { postgresJobs } from '../src/jobs/postgres-jobs.ts'
import { addSqliteJobs, type JobTimes, sqliteJobs } from '../src/jobs/sqlite-jobs.ts'
import { type EngineStore, engineMigrations, engineStore } from '../src/store/engine/store.ts'
import { postgresSql } from '../src/store/sql/postgres.ts'
import { postgresPlace } from '../src/store/sql/postgres-url.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { sqliteSql } from '../src/store/sql/sqlite.ts'
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts'

/** The databases that a campaign or a benchmark can use. */
export type DatabaseKind = 'sqlite' | 'postgres'

/** A database for one run: a file in a folder of its own, or a PostgreSQL that nobody else uses. `server` is there for PostgreSQL only. */
export type OwnDatabase = { url: string; server: PostgresServer | undefined; close: () => Promise<void> }

/** Makes an empty database for one run. */
export async function ownDatabase(
  kind: DatabaseKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnDatabase> {
  if (kind === 'postgres') {
    // As an operator runs it, unlike the tests, which are short.
    const server = await startPostgres({ autovacuum: 'on', shared_buffers: '256MB', ...settings })
    if (typeof server === 'string') throw new Error(server)
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)
      process.once(signal, () => void server.stop().finally(() => process.exit(code)))
    return { url: server.url, server, close: server.stop }
  }
  const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-database-'))
  return {
    url: join(dir, 'serve.db'),
    server: undefined,
    close: async () => rmSync(dir, { recursive: true, force: true }),
  }
}

const isPostgres = (url: string): boolean => url.startsWith('postgres://')

/** Opens a database by its URL or file, with its schema. */
export async function openOwnDatabase(url: string): Promise<Sql> {
  if (!isPostgres(url)) return sqliteSql(url, { migrations: engineMigrations })
  const place = postgresPlace(url)
  return postgresSql(place, { migrations: engineMigrations, password: () => place.password })
}

/** How the jobs of a campaign wait: `sqlite` in ms, `postgres` in seconds; pg-boss allows no heartbeat below 10 s. */
export type CampaignTimes = {
  sqlite: JobTimes
  postgres: NonNullable<Parameters<typeof postgresJobs>[1]['times']>
}

/** The jobs of a database, with the store that announces its changes to them. `wrapped` is the database as its users see it. */
export async function jobsOf(
  url: string,
  sql: Sql,
  { times, wrapped = sql }: { times?: CampaignTimes; wrapped?: Sql } = {},
): Promise<{ jobs: Jobs; store: EngineStore }> {
  const onError = () => undefined
  const place = isPostgres(url) ? postgresPlace(url) : undefined
  const jobs = place
    ? await postgresJobs(sql as Parameters<typeof postgresJobs>[0], {
        password: () => place.password,
        onError,
        ...(times && { times: times.postgres }),
      })
    : sqliteJobs(wrapped, { now: Date.now, onError, ...(times && { times: times.sqlite }) })
  return { jobs, store: engineStore(wrapped, { now: Date.now, add: jobs.add }) }
}

/** A store whose changes others find: its jobs are added, where that needs no engine. */
export const storeBeside = (url: string, sql: Sql): EngineStore =>
  engineStore(sql, { now: Date.now, add: isPostgres(url) ? async () => undefined : addSqliteJobs(Date.now) })
