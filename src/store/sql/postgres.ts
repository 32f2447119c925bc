import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { AppError } from '../../domain/errors.ts'
import {
  isConflict,
  isCut,
  isTaken,
  isTransient,
  isUnprepared,
  postgresFault,
  postgresQueryFault,
  unconfirmedWrite,
} from './postgres-faults.ts'
import type { PostgresPlace } from './postgres-url.ts'
import { sharedReads } from './shared-reads.ts'
import type { Migration, Sql, SqlValue, TransactionOptions } from './sql-types.ts'

const load = createRequire(import.meta.url)
let loaded: typeof import('pg') | undefined
const driver = () => (loaded ??= load('pg') as typeof import('pg'))

/** The options of a PostgreSQL database. `password` is asked for with each connection. */
export type PostgresOptions = {
  migrations: readonly Migration[]
  password: () => string | undefined
  /** How long a read or a conflicting write is tried again, in ms. */
  patienceMs?: number
}

/** PostgreSQL as `Sql`, and its connections for what has its own queries. */
export type PostgresSql = Sql & { pool: pg.Pool; place: PostgresPlace }

/** The oldest version that has `pg_current_snapshot` and `pg_xact_status`. */
const oldestVersion = 13

/** The advisory lock under which migrations run, in each database its own. */
const migrationLock = 7_576_873

const int8 = 20

/** Waits between tries, longer each time and never the same for two writers. */
const rest = (tries: number) => setTimeout((0.5 + Math.random()) * Math.min(250, 5 * 2 ** Math.min(tries, 6)))

/**
 * Opens a PostgreSQL database with its schema migrated. STATE_UNUSABLE with the reason if it cannot be used, STATE_NEWER_SCHEMA if a newer
 * version has migrated it.
 *
 * A read is repeated on a new connection if its own was cut. A write runs in a SERIALIZABLE transaction, which gives the order that a single
 * writer would; it runs again if it conflicted with another one, or if its connection was cut before the commit was sent, because then nothing
 * of it is stored. If the connection is cut during the commit, PostgreSQL is asked by the number of the transaction (`pg_xact_status`): committed
 * is done, aborted runs again, and anything else is WRITE_UNCONFIRMED. So no write is stored twice, whatever its own condition.
 */
export async function postgresSql(place: PostgresPlace, options: PostgresOptions): Promise<PostgresSql> {
  const { patienceMs = 5_000 } = options
  const { Pool } = driver()
  const sockets = new Set<Socket>()
  const pool = new Pool({
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    host: place.host,
    port: place.port,
    user: place.user,
    database: place.database,
    // A function, so that the driver never looks for a password by itself.
    password: () => options.password() ?? '',
    ssl: place.ssl,
    application_name: place.applicationName,
    max: place.poolSize,
    statement_timeout: place.statementTimeoutMs,
    idle_in_transaction_session_timeout: place.statementTimeoutMs,
    // If nothing of the server arrives any more.
    query_timeout: place.statementTimeoutMs + 2_000,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: { getTypeParser },
  })
  // A connection that ends while nobody uses it is replaced by the next one.
  pool.on('error', () => undefined)
  try {
    await migrate(pool, options.migrations, place)
  } catch (error) {
    await pool.end()
    // The driver leaves a connection open that it could not authenticate.
    for (const socket of sockets) socket.destroy()
    throw postgresFault(error, `PostgreSQL at ${place.shown}`)
  }
  const named = `PostgreSQL at ${place.shown}`
  const faultOf = (error: unknown) => postgresQueryFault(error, named)
  /** Whether connections keep prepared statements: a PgBouncer that mixes connections may not. */
  let isPreparing = true
  const reading = async <Row>(text: string, values?: readonly SqlValue[], name?: string): Promise<Row[]> => {
    const since = performance.now()
    for (let tries = 0; ; tries++) {
      try {
        return await withClient(pool, (client) =>
          ask<Row>(client, text, values, isPreparing ? name : undefined),
        )
      } catch (error) {
        if (isPreparing && name !== undefined && isUnprepared(error)) {
          isPreparing = false
          continue
        }
        if (!isTransient(error) || performance.now() > since + patienceMs) throw faultOf(error)
        await rest(tries)
      }
    }
  }
  /** Whether a transaction whose commit had no answer took place; `undefined` if PostgreSQL cannot tell. */
  const outcomeOf = async (transaction: string): Promise<boolean | undefined> => {
    const since = performance.now()
    for (let tries = 0; performance.now() < since + 2 * patienceMs; tries++) {
      try {
        const [row] = await reading<{ status: string | null }>(
          'select pg_xact_status($1::text::xid8) as status',
          [transaction],
        )
        if (row?.status !== 'in progress')
          return row?.status === 'committed' ? true : row?.status === 'aborted' ? false : undefined
      } catch (error) {
        // Another server, such as a standby that took over, does not know the number.
        if (!(error instanceof AppError)) return undefined
      }
      await rest(tries)
    }
    return undefined
  }
  const transaction = async <T>(
    work: (sql: Pick<Sql, 'query'>) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> => {
    const since = performance.now()
    for (let tries = 0, taken = 0; ; tries++) {
      const state: Tried<T> = { followers: [] }
      const done = (result: T): T => {
        for (const follow of state.followers) follow()
        return result
      }
      try {
        return done(await withClient(pool, (client) => once(client, work, state, options)))
      } catch (error) {
        const hasTime = performance.now() < since + patienceMs
        if (state.number !== undefined && isCut(error)) {
          const isStored = await outcomeOf(state.number)
          if (isStored) return done(state.result as T)
          if (isStored === undefined) throw unconfirmedWrite(error, named)
        } else if (isTaken(error)) {
          // Two writers that both found a key free; the second look finds it taken.
          if (++taken > 2) throw error
        } else if (!hasTime || !(isConflict(error) || isTransient(error))) throw faultOf(error)
        if (!hasTime) throw faultOf(error)
        await rest(tries)
      }
    }
  }
  return {
    pool,
    place,
    query: (text, values) =>
      isRead(text) ? reading(text, values) : transaction(({ query }) => query(text, values)),
    cachedQuery: sharedReads((text, values) => reading(text, values, nameOf(text))),
    transaction,
    close: () => pool.end(),
  }
}

const isRead = (text: string) => /^\s*(select|with)\b/i.test(text) && !/\breturning\b/i.test(text)

/** Integers of 64 bits as numbers: counts, times and block numbers are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  const { types } = driver()
  return oid === int8 ? Number : types.getTypeParser(oid, format as 'text')
}

/** Lends a connection; one that failed is not used again. */
async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  const broke = () => {
    isBroken = true
  }
  client.on('error', broke)
  try {
    return await work(client)
  } catch (error) {
    if (isCut(error)) broke()
    throw error
  } finally {
    client.off('error', broke)
    client.release(isBroken)
  }
}

/** A value as the driver sends it. PostgreSQL has no NUL character: it is replaced as in UTF-8, and finds nothing. */
const sent = (value: SqlValue): unknown =>
  typeof value === 'string'
    ? value.replaceAll('\0', '\ufffd')
    : value instanceof Uint8Array
      ? Buffer.from(value)
      : value

const names = new Map<string, string>()

/** The name of a statement that a connection prepares once. The texts of frequent reads are few. */
function nameOf(text: string): string {
  const known = names.get(text) ?? `sluice_${hash('sha256', text, 'hex').slice(0, 24)}`
  names.set(text, known)
  return known
}

async function ask<Row>(
  client: pg.PoolClient,
  text: string,
  values: readonly SqlValue[] = [],
  name?: string,
): Promise<Row[]> {
  const { rows } = await client.query({ text, values: values.map(sent), ...(name !== undefined && { name }) })
  return rows as Row[]
}

/** One try of a transaction: its number once the commit is sent, its result, and what follows its commit. */
type Tried<T> = { number?: string; result?: T; followers: (() => void)[] }

const followersOf = new WeakMap<Sql['query'], (() => void)[]>()

/** Calls `follow` once the transaction with this `query` is committed, and not if it is undone; at once outside of one. */
export function onCommit(query: Sql['query'], follow: () => void): void {
  const followers = followersOf.get(query)
  if (followers) followers.push(follow)
  else follow()
}

/** Runs one try of a transaction, and keeps in `state` what is known of it. */
async function once<T>(
  client: pg.PoolClient,
  work: (sql: Pick<Sql, 'query'>) => Promise<T>,
  state: Tried<T>,
  { isOrderedByLocks = false }: TransactionOptions,
): Promise<T> {
  const began = (await client.query(
    `begin isolation level ${isOrderedByLocks ? 'read committed' : 'serializable'}; select pg_current_xact_id()::text as number`,
  )) as unknown as pg.QueryResult<{ number: string }>[]
  const query: Sql['query'] = (text, values) => ask(client, text, values)
  followersOf.set(query, state.followers)
  const result = await inside(client, () => work({ query }))
  Object.assign(state, { number: began[1]!.rows[0]!.number, result })
  const { command } = await client.query('commit')
  // After a statement that failed, a commit rolls back.
  if (command !== 'COMMIT') throw new Error('a statement of the transaction failed')
  return result
}

/** Rolls back if the work fails; a cut connection has done that already. */
async function inside<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isCut(error)) await client.query('rollback')
    throw error
  }
}

/** Applies the missing migrations in one transaction, of one instance at a time. */
async function migrate(
  pool: pg.Pool,
  migrations: readonly Migration[],
  { shown }: PostgresPlace,
): Promise<void> {
  await withClient(pool, async (client) => {
    const [server] = await ask<{ version: number; encoding: string; standby: boolean }>(
      client,
      `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby`,
    )
    refuseServer(server!, shown)
    if (refuseNewer(await versionOf(client), migrations, shown) === migrations.length) return
    await client.query(
      `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '120s'`,
    )
    await inside(client, async () => {
      await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
      await client.query('create table if not exists sluice_schema (version integer not null)')
      const found = refuseNewer(await versionOf(client), migrations, shown)
      for (const step of migrations.slice(found))
        await client.query({
          text: typeof step === 'string' ? step : step.postgres,
          query_timeout: 3_600_000,
        } as pg.QueryConfig)
      await client.query('delete from sluice_schema')
      await client.query('insert into sluice_schema values ($1)', [migrations.length])
      await client.query('commit')
    })
  })
}

async function versionOf(client: pg.PoolClient): Promise<number> {
  const [table] = await ask<{ name: string | null }>(
    client,
    `select to_regclass('sluice_schema')::text as name`,
  )
  if (table!.name === null) return 0
  const [row] = await ask<{ version: number }>(client, 'select version from sluice_schema')
  return row?.version ?? 0
}

function refuseNewer(found: number, migrations: readonly Migration[], shown: string): number {
  if (found <= migrations.length) return found
  throw new AppError(
    'STATE_NEWER_SCHEMA',
    `PostgreSQL at ${shown} has schema ${found}, but this version supports ${migrations.length}`,
    { hint: 'A newer version has migrated this database. Update this one.' },
  )
}

function refuseServer(
  { version, encoding, standby }: { version: number; encoding: string; standby: boolean },
  shown: string,
): void {
  const refused = (why: string, hint: string) =>
    new AppError('STATE_UNUSABLE', `PostgreSQL at ${shown} cannot be used: ${why}`, {
      details: { database: shown },
      hint,
    })
  if (version < oldestVersion * 10_000)
    throw refused(
      `it is version ${Math.floor(version / 10_000)}`,
      `Use PostgreSQL ${oldestVersion} or newer.`,
    )
  if (encoding !== 'UTF8')
    throw refused(
      `its encoding is ${encoding}`,
      'Create a database with UTF-8: createdb --encoding UTF8 --template template0 NAME',
    )
  if (standby) throw refused('it is a read-only standby', 'Use the URL of the primary.')
}
