import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { isPostgresUrl, refuseDatabasePassword } from '../../domain/text/database-url.ts'
import { withoutLineEnd } from '../../domain/text/decode-text.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import type { Jobs } from '../../jobs/jobs-type.ts'
import type { KeyOwner } from '../../store/api-keys/keys.ts'
import type { Window } from '../../store/api-keys/rate-limiter.ts'
import type { KeyLimits } from '../../store/api-keys/server-key-limits.ts'
import type { PoolCounts } from '../../store/sql/database-probe.ts'
import type { PostgresPlace } from '../../store/sql/postgres-url.ts'
import type { Sql } from '../../store/sql/sql-types.ts'
import type { BackendInputs } from '../backends/backend-input-types.ts'

/** The database of a server: a SQLite file, or PostgreSQL. `shown` has no password. */
type ServedDatabase =
  | { kind: 'sqlite'; shown: string }
  | { kind: 'postgres'; shown: string; place: PostgresPlace; password: () => string | undefined }

type Needs = Pick<BackendInputs, 'env' | 'secrets'>

/**
 * Returns the database that a command names, or else SLUICE_DATABASE_URL, the profile, or a file in the data directory. A password is accepted
 * only from the environment and from files.
 */
export async function servedDatabase(
  dir: string,
  wanted: string | undefined,
  needs: Needs,
): Promise<ServedDatabase> {
  const { databaseUrl } = needs.secrets
  const ofProfile = needs.env.SLUICE_DATABASE_URL
  const url = wanted ?? databaseUrl ?? ofProfile ?? 'serve.db'
  const isSecret = wanted === undefined && databaseUrl !== undefined
  if (!isSecret) refuseDatabasePassword(url, wanted === undefined ? 'in a profile' : 'on the command line')
  if (isPostgresUrl(url)) {
    const { postgresPlace } = await import('../../store/sql/postgres-url.ts')
    const place = postgresPlace(url)
    return { kind: 'postgres', place, shown: place.shown, password: await passwordOf(place, needs.env) }
  }
  const path = url.replace(/^sqlite:(\/\/)?/, '')
  // Keywords of libpq would make a file whose name has them.
  const isKeywords = /(^|\s)(host|dbname|password)\s*=/i.test(path)
  if (!/^[a-z][a-z0-9+.-]*:/i.test(path) && path !== '' && !isKeywords)
    return {
      kind: 'sqlite',
      shown: url === 'serve.db' && wanted === undefined ? join(dir, path) : real(resolve(path)),
    }
  throw new AppError(
    'CONFIG_INVALID',
    'The database must be a SQLite file or the URL of a PostgreSQL database',
    {
      next: advice`${sameWith({ '--database': 'sqlite:/var/lib/sluice/serve.db' })} With PostgreSQL: ${sameWith({ '--database': 'postgres://sluice@db.example.com/sluice' })}`,
    },
  )
}

/** The password of the URL, of the file that the environment names, or of a password file as libpq reads it. Files are read again for each connection. */
async function passwordOf(place: PostgresPlace, env: Needs['env']): Promise<() => string | undefined> {
  if (place.password !== undefined) return () => place.password
  const [{ readPrivateFile }, { passwordInPassfile }] = await Promise.all([
    import('../../signing/read-private-file.ts'),
    import('../../store/sql/postgres-url.ts'),
  ])
  const { SLUICE_DATABASE_PASSWORD_FILE: file, PGPASSFILE: named, HOME: home } = env
  if (file) {
    const read = () => withoutLineEnd(readPrivateFile(file))
    // A file that cannot be used is reported by its name.
    read()
    return read
  }
  const passfile = named || join(home || homedir(), '.pgpass')
  const read = () =>
    existsSync(passfile) ? passwordInPassfile(readPrivateFile(passfile, 65_536), place) : undefined
  read()
  return read
}

/** Resolves links in a path, so that a file with two names shares one set of limits. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const parent = dirname(path)
    return parent === path ? path : join(real(parent), basename(path))
  }
}

/**
 * How changes are announced to the jobs of a server: the clock of the events, and what is called with the error of a job. Without `onError`, this process
 * adds jobs and runs none.
 */
type JobNeeds = { now: () => number; onError?: (queue: string, error: unknown) => void }

/**
 * Opens the engine's store and the API keys of a server, in one database. `limits` opens the limits of its keys. With `jobs`, changes add jobs, which do
 * not run yet; without them, a server finds the changes by itself.
 */
export async function openServedDatabase(
  dir: string,
  wanted: string | undefined,
  needs: Needs,
  { observe = (sql) => sql, jobs: asked }: { observe?: (sql: Sql) => Sql; jobs?: JobNeeds } = {},
) {
  const database = await servedDatabase(dir, wanted, needs)
  const [{ engineMigrations: migrations, engineStore }, { cachedKeyOwner, keyStore }] = await Promise.all([
    import('../../store/engine/store.ts'),
    import('../../store/api-keys/keys.ts'),
  ])
  const { sql: unobserved, limits, openJobs, openAdder, pool } = await opened(database, migrations)
  const sql = observe(unobserved)
  const jobs = asked?.onError && (await openJobs(sql, asked.onError))
  const adder = jobs ?? (asked && (await openAdder(sql)))
  const keys = keyStore(sql)
  const owners = <made>(make: (owner: KeyOwner) => made) => cachedKeyOwner(sql, keys, make)
  const probed = { sql, kind: database.kind, schema: migrations.length }
  return {
    shown: database.shown,
    engine: engineStore(sql, asked && adder && { now: asked.now, add: adder.add }),
    jobs,
    keys,
    owners,
    limits,
    probed,
    pool,
    close: async () => {
      await adder?.stop()
      await sql.close()
    },
  }
}

type OnJobError = NonNullable<JobNeeds['onError']>
type JobAdder = Pick<Jobs, 'add' | 'stop'>
type Clocked = { windows: readonly Window[]; now: () => number }

async function opened(
  database: ServedDatabase,
  migrations: Parameters<typeof import('../../store/sql/postgres.ts').postgresSql>[1]['migrations'],
) {
  if (database.kind === 'sqlite') {
    const { sqliteSql } = await import('../../store/sql/sqlite.ts')
    const limits = async (clocked: Clocked): Promise<KeyLimits> =>
      (await import('../../store/api-keys/server-key-limits.ts')).openKeyLimits(
        `${database.shown}.limits`,
        clocked,
      )
    const openJobs = async (sql: Sql, onError: OnJobError): Promise<Jobs> =>
      (await import('../../jobs/sqlite-jobs.ts')).sqliteJobs(sql, { now: Date.now, onError })
    const openAdder = async (_: Sql): Promise<JobAdder> => ({
      add: (await import('../../jobs/sqlite-jobs.ts')).addSqliteJobs(Date.now),
      stop: async () => undefined,
    })
    return { sql: sqliteSql(database.shown, { migrations }), limits, openJobs, openAdder, pool: undefined }
  }
  const { postgresSql } = await import('../../store/sql/postgres.ts')
  const sql = await postgresSql(database.place, { migrations, password: database.password })
  const limits = async ({ windows }: Clocked): Promise<KeyLimits> =>
    (await import('../../store/api-keys/shared-key-limits.ts')).openSharedKeyLimits(sql, { windows })
  const openJobs = async (_: Sql, onError: OnJobError): Promise<Jobs> =>
    (await import('../../jobs/postgres-jobs.ts')).postgresJobs(sql, { password: database.password, onError })
  const openAdder = async (_: Sql): Promise<JobAdder> =>
    (await import('../../jobs/postgres-jobs.ts')).addPostgresJobs(sql)
  const pool = (): PoolCounts => ({
    inUse: sql.pool.totalCount - sql.pool.idleCount,
    idle: sql.pool.idleCount,
    waiting: sql.pool.waitingCount,
  })
  return { sql, limits, openJobs, openAdder, pool }
}
