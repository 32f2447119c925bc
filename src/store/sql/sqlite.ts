import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import { diskFault } from '../disk-fault.ts'
import { privateDirectory } from '../private-directory.ts'
import { batchedReads } from './reads-per-turn.ts'
import type { Migration, Sql, SqlValue } from './sql-types.ts'

const codeOf = (error: unknown): { code: string; errcode: number; message: string } => {
  const {
    code = '',
    errcode = 0,
    message = '',
  } = error as { code?: string; errcode?: number; message?: string }
  return { code: String(code), errcode: Number(errcode), message: String(message) }
}

/** Primary result codes of SQLite: https://sqlite.org/rescode.html */
const sqlite = {
  error: 1,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  perm: 3,
  notadb: 26,
}

/** Whether SQLite reports that another process holds the database. */
export const isDatabaseBusy = (error: unknown): boolean => {
  const primary = codeOf(error).errcode & 0xff
  return primary === sqlite.busy || primary === sqlite.locked
}

/**
 * Converts disk errors: full, read-only, forbidden or busy is STATE_UNUSABLE; a damaged file is `corrupt`, JOURNAL_UNREADABLE for
 * the journal. Other errors are returned unchanged.
 */
export function storeFault(error: unknown, path: string, corrupt: ErrorCode = 'STATE_UNUSABLE'): unknown {
  if (error instanceof AppError) return error
  const { code, errcode, message } = codeOf(error)
  const because = (why: string, kind: ErrorCode = 'STATE_UNUSABLE') =>
    new AppError(kind, `${path} cannot be used: ${why}`, { cause: error, details: { path } })
  if (code !== 'ERR_SQLITE_ERROR') return diskFault(error, path)
  switch (errcode & 0xff) {
    case sqlite.full:
      return because('the disk is full')
    case sqlite.readonly:
      return because('it is read-only')
    case sqlite.perm:
    case sqlite.cantopen:
      return because('it cannot be opened for reading and writing')
    case sqlite.ioerr:
      return because(`the disk does not work (${message})`)
    case sqlite.busy:
    case sqlite.locked:
      return because('another process has locked it for too long')
    // Our own SQL on our own tables fails only if the tables were changed.
    case sqlite.error:
      return corrupt === 'STATE_UNUSABLE' ? error : because('it is damaged', corrupt)
    case sqlite.corrupt:
    case sqlite.notadb:
      return because('it is damaged', corrupt)
    default:
      return error
  }
}

const versionOf = (db: DatabaseSync): number =>
  Number((db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)

/** A migration of a SQLite file alone: SQL, or work on its rows that SQL cannot do. */
export type SqliteMigration = Migration | ((db: DatabaseSync) => void)

/** Applies the missing `migrations` in one transaction. STATE_NEWER_SCHEMA if the file is newer than them. */
export function migrate(db: DatabaseSync, migrations: readonly SqliteMigration[], path: string): void {
  const newer = (found: number) =>
    new AppError(
      'STATE_NEWER_SCHEMA',
      `${path} has schema ${found}, but this version supports ${migrations.length}`,
    )
  if (versionOf(db) > migrations.length) throw newer(versionOf(db))
  if (versionOf(db) === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const found = versionOf(db)
    if (found > migrations.length) throw newer(found)
    for (const step of migrations.slice(found))
      if (typeof step === 'function') step(db)
      else db.exec(typeof step === 'string' ? step : step.sqlite)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** The options of a SQLite database. `corrupt` is the error code for a damaged file. */
export type SqliteOptions = { migrations: readonly SqliteMigration[]; corrupt?: ErrorCode; busyMs?: number }

/** Opens a durable SQLite file with its schema migrated, for code that must not await between two writes. */
export function openSqlite(path: string, options: SqliteOptions): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    if (path !== ':memory:') {
      privateDirectory(dirname(path))
      closeSync(openSync(path, 'a', 0o600))
      if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    }
    db = new DatabaseSync(path, { timeout: options.busyMs ?? 10_000, enableForeignKeyConstraints: true })
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF')
    migrate(db, options.migrations, path)
    return db
  } catch (error) {
    db?.close()
    throw storeFault(error, path, options.corrupt)
  }
}

/** Runs `work` in one transaction of a synchronous database. */
export function transactionOf<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

const maxStatements = 200

/**
 * While another process holds the database: how long a statement blocks, in ms, and how long other work runs before the next try.
 */
const busyDatabase = { waitMs: 50, restMs: 100 }

/** One write: `work` inside a transaction, or `alone` as a single statement. `done` makes what tells its result. */
type Write = {
  work: (sql: Pick<Sql, 'query'>) => Promise<unknown>
  alone: ((since: number) => Promise<unknown>) | undefined
  done: (value: unknown) => () => void
  failed: (error: unknown) => void
}

/** The writes of one turn of the event loop, which are committed together, and the reads that follow them. */
type Group = { writes: Write[]; reads: (() => Promise<void>)[] }

/**
 * SQLite as `Sql`. `:memory:` is a separate database while open. If another process holds the file, a write waits and everything
 * else continues.
 */
export function sqliteSql(path: string, options: SqliteOptions): Sql {
  const { busyMs = 10_000 } = options
  const db = openSqlite(path, options)
  db.exec(`PRAGMA busy_timeout = ${Math.min(busyMs, busyDatabase.waitMs)}`)
  const prepared = new Map<string, StatementSync>()
  /** Prepares a statement once; the few texts all fit the cache. */
  const statement = (text: string): StatementSync => {
    const known = prepared.get(text) ?? db.prepare(text.replace(/\$(\d)/g, '?$1'))
    if (prepared.size >= maxStatements) prepared.clear()
    prepared.set(text, known)
    return known
  }
  const run = <Row>(text: string, values: readonly SqlValue[] = []): Row[] => {
    try {
      return statement(text).all(...values) as Row[]
    } catch (error) {
      throw storeFault(error, path, options.corrupt)
    }
  }
  const reads = batchedReads(db, run)
  /** Reads queued behind a write. */
  const behind = new Set<() => Promise<void>>()
  /** Whether a write is waiting for another process: no transaction is open, and reads continue. */
  let isHeld = false
  const patiently = async <Row>(
    since: number,
    text: string,
    values?: readonly SqlValue[],
  ): Promise<Row[]> => {
    for (;;) {
      try {
        reads.beforeWrite()
        isHeld = false
        return run<Row>(text, values)
      } catch (error) {
        isHeld =
          error instanceof AppError && isDatabaseBusy(error.cause) && performance.now() < since + busyMs
        if (!isHeld) throw error
        for (const read of behind) void read()
        await setTimeout(busyDatabase.restMs)
      }
    }
  }
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work)
    turn = mine.catch(() => undefined)
    return mine
  }
  /** The group at the end of the queue that takes more writes. */
  let open: Group | undefined
  /** The last group of the queue, also while its writes are committed. */
  let last: Group | undefined
  const openGroup = (): Group => {
    const group: Group = { writes: [], reads: [] }
    const since = performance.now()
    open = group
    last = group
    void inTurn(async () => {
      // Whatever arrives in this turn of the event loop belongs to it.
      await new Promise((resolve) => setImmediate(resolve))
      if (open === group) open = undefined
      await commit(group.writes, since)
      while (group.reads.length > 0) await Promise.all(group.reads.splice(0).map((read) => read()))
      if (last === group) last = undefined
    })
    return group
  }
  /** Commits writes together. The failure of one undoes that one only; each has its result once all are durable. */
  const commit = async (writes: readonly Write[], since: number): Promise<void> => {
    const [first] = writes
    if (!first) return
    try {
      if (writes.length === 1 && first.alone) return first.done(await first.alone(since))()
      await patiently(since, 'BEGIN IMMEDIATE')
      const settled: (() => void)[] = []
      for (const write of writes) settled.push(await attempt(write))
      run('COMMIT')
      for (const settle of settled) settle()
    } catch (error) {
      if (db.isTransaction) run('ROLLBACK')
      for (const { failed } of writes) failed(error)
    }
  }
  /** Does one write of a transaction or nothing of it. */
  const attempt = async ({ work, done, failed }: Write): Promise<() => void> => {
    run('SAVEPOINT one')
    try {
      const settle = done(await work({ query: async (text, values) => run(text, values) }))
      run('RELEASE one')
      return settle
    } catch (error) {
      // After some failures SQLite has undone the whole transaction.
      if (!db.isTransaction) throw error
      run('ROLLBACK TO one')
      run('RELEASE one')
      return () => failed(error)
    }
  }
  const write = <T>(work: Write['work'], alone?: Write['alone']): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const done = (value: unknown) => () => resolve(value as T)
      ;(open ?? openGroup()).writes.push({ work, alone, done, failed: reject })
    })
  /** Queues reads behind writes, or runs them once a write has to wait. */
  const reading = <Row>(ask: () => Promise<Row>): Promise<Row> =>
    last === undefined || isHeld
      ? ask()
      : new Promise((resolve, reject) => {
          const read = async () => {
            if (behind.delete(read)) await ask().then(resolve, reject)
          }
          behind.add(read)
          last!.reads.push(read)
        })
  const isRead = (text: string) => /^\s*(select|with)\b/i.test(text) && !/\breturning\b/i.test(text)
  return {
    query: (text, values) =>
      isRead(text)
        ? reading(() => reads.soon(text, values))
        : write(
            async () => run(text, values),
            (since) => patiently(since, text, values),
          ),
    cachedQuery: (text, values) => reading(() => reads.kept(text, values)),
    transaction: (work) => write(work),
    close: () => {
      open = undefined
      return inTurn(async () => db.close())
    },
  }
}
