import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { acquireLock } from '../file-lock.ts'
import type { Migration } from '../sql/sql-types.ts'
import { openSqlite, storeFault, transactionOf } from '../sql/sqlite.ts'
import type { LimitResult, Window } from './rate-limiter.ts'
import { type SlidingLog, slidingLog } from './sliding-log.ts'

/** The rate limits of a server's keys. `take` resolves after the request is written. */
export type KeyLimits = {
  take: (id: string) => Promise<LimitResult>
  close: () => Promise<void>
}

const migrations: readonly Migration[] = [
  `create table ids (key integer primary key, id text not null unique) strict;
   create table log (seq integer primary key, key integer not null, at integer not null) strict`,
  // One row for all requests of a turn: `taken` is a list of key, time, key, time, ...
  `create table turns (seq integer primary key, at integer not null, taken text not null) strict;
   insert into turns (at, taken) select at, json_array(key, at) from log order by seq;
   drop table log`,
]

/** The requests of one turn of the event loop; all are answered after it is written. */
type LimitTurn = { taken: number[] } & PromiseWithResolvers<LimitResult>

/**
 * Opens the rate limits of one server: a sliding log of accepted requests in memory, and in a file from which it resumes after any
 * end. The requests of one turn of the event loop are written together. A file is for one server; STATE_UNUSABLE for a second one.
 * SERVICE_UNAVAILABLE if the file cannot be written; those requests are refused and not counted.
 */
export async function openKeyLimits(
  path: string,
  { windows, now }: { windows: readonly Window[]; now: () => number },
): Promise<KeyLimits> {
  const lock = await acquireLock(`${path}.lock`, 3_000)
  if (!lock)
    throw new AppError('STATE_UNUSABLE', `Another server is serving this database (${path}.lock is held)`, {
      next: advice`Stop it first, or use another database for this one: ${sluice('serve', { '--database': 'sqlite:other.db' })}`,
    })
  const db = openSqlite(path, { migrations })
  // A killed process loses nothing; only a power cut does, which is acceptable for a limit. The file belongs to this server alone,
  // so its locks are held.
  db.exec('PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE')
  const longest = Math.max(...windows.map(({ ms }) => ms))
  const words = {
    id: db.prepare('insert into ids values (?, ?)'),
    add: db.prepare('insert into turns (at, taken) values (?, ?)'),
    forget: db.prepare('delete from turns where at < ?'),
  }
  const logs = new Map<string, { key: number; log: SlidingLog }>()
  for (const { id, key } of db.prepare('select id, key from ids').all() as { id: string; key: number }[])
    logs.set(id, { key, log: slidingLog(windows) })
  const byNumber = new Map([...logs.values()].map(({ key, log }) => [key, log]))
  const rows = db.prepare('select taken from turns where at >= ? order by seq')
  for (const { taken } of rows.all(now() - longest) as { taken: string }[]) {
    const pairs = JSON.parse(taken) as number[]
    for (let at = 0; at < pairs.length; at += 2) byNumber.get(pairs[at]!)?.add(pairs[at + 1]!)
  }
  const logOf = (id: string): { key: number; log: SlidingLog } => {
    const found = logs.get(id)
    if (found) return found
    const made = { key: logs.size + 1, log: slidingLog(windows) }
    logs.set(id, made)
    byNumber.set(made.key, made.log)
    fresh.push([made.key, id])
    return made
  }
  const fresh: [key: number, id: string][] = []
  let swept = now()
  let turn: LimitTurn | undefined
  const write = () => {
    const { taken, resolve, reject } = turn!
    turn = undefined
    try {
      const isDue = Math.abs(now() - swept) > 60_000
      const text = JSON.stringify(taken)
      // A single row is its own transaction, which is cheaper.
      if (fresh.length === 0 && !isDue) words.add.run(newest(taken), text)
      else
        transactionOf(db, () => {
          for (const [key, id] of fresh) words.id.run(key, id)
          words.add.run(newest(taken), text)
          if (isDue) words.forget.run(now() - longest)
        })
      fresh.length = 0
      if (isDue) swept = now()
      resolve({ ok: true })
    } catch (error) {
      for (let at = 0; at < taken.length; at += 2) byNumber.get(taken[at]!)?.giveBack(1)
      const cause = storeFault(error, path)
      reject(new AppError('SERVICE_UNAVAILABLE', 'The limits cannot be written', { cause }))
    }
  }
  const begun = (): LimitTurn => {
    setImmediate(write)
    return { taken: [], ...Promise.withResolvers<LimitResult>() }
  }
  return {
    take: (id) => {
      const { key, log } = logOf(id)
      const asked = now()
      const waitMs = log.waitMs(asked)
      if (waitMs > 0) return Promise.resolve({ ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) })
      turn ??= begun()
      turn.taken.push(key, log.take(asked))
      return turn.promise
    },
    close: async () => {
      if (turn) await new Promise((resolve) => setImmediate(resolve))
      db.close()
      lock.release()
    },
  }
}

/** The latest time in a turn: each key has its own clock, which never goes back. */
const newest = (taken: readonly number[]): number => {
  let latest = 0
  for (let at = 1; at < taken.length; at += 2) latest = Math.max(latest, taken[at]!)
  return latest
}
