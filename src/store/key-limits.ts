import { AppError } from '../domain/errors.ts'
import { storeFault } from './faults.ts'
import type { Taken, Window } from './limiter.ts'
import { exclusiveLock } from './lock.ts'
import { type SlidingLog, slidingLog } from './sliding-log.ts'
import type { Migration } from './sql.ts'
import { openSqlite, transactionOf } from './sqlite.ts'

/** The limits of a server's keys. What `take` lets in is written down before it is told. */
export type KeyLimits = {
  take: (id: string) => Promise<Taken>
  /** Whether what was let in last could be written. */
  works: () => boolean
  close: () => Promise<void>
}

const migrations: readonly Migration[] = [
  `create table ids (key integer primary key, id text not null unique) strict;
   create table log (seq integer primary key, key integer not null, at integer not null) strict`,
]

/**
 * Opens the limits of one server: a sliding log of every request that was let in, in memory, where it is asked, and in a
 * file, from where it goes on after an end of any kind. All requests of one turn of the event loop are written together. A
 * file is for one server; another one is STATE_UNUSABLE. What cannot be written is SERVICE_UNAVAILABLE, and not let in.
 */
export async function openKeyLimits(
  path: string,
  { windows, now }: { windows: readonly Window[]; now: () => number },
): Promise<KeyLimits> {
  const lock = await exclusiveLock(`${path}.lock`, 3_000)
  if (!lock)
    throw new AppError('STATE_UNUSABLE', `Another server is serving this database (${path}.lock is held)`, {
      hint: 'Stop it first, or give this one a database of its own: sluice serve --database sqlite:other.db',
    })
  const db = openSqlite(path, { migrations })
  // A process that is killed loses nothing by it; only a power cut does, and a limit is not worth waiting for the disk.
  // The file is this server's alone, so that its locks need not be taken and given back each time.
  db.exec('PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE')
  const longest = Math.max(...windows.map(({ ms }) => ms))
  const words = {
    id: db.prepare('insert into ids values (?, ?)'),
    add: db.prepare('insert into log (key, at) select value ->> 0, value ->> 1 from json_each(?)'),
    forget: db.prepare('delete from log where at < ?'),
  }
  const logs = new Map<string, { key: number; log: SlidingLog }>()
  for (const { id, key } of db.prepare('select id, key from ids').all() as { id: string; key: number }[])
    logs.set(id, { key, log: slidingLog(windows) })
  const byKey = new Map([...logs.values()].map(({ key, log }) => [key, log]))
  const rows = db.prepare('select key, at from log where at >= ? order by seq')
  for (const { key, at } of rows.all(now() - longest) as { key: number; at: number }[])
    byKey.get(key)?.add(at)
  const logOf = (id: string): SlidingLog => {
    const found = logs.get(id)
    if (found) return found.log
    const log = slidingLog(windows)
    const key = logs.size + 1
    logs.set(id, { key, log })
    fresh.push([key, id])
    return log
  }
  const fresh: [key: number, id: string][] = []
  let swept = now()
  type Turn = { id: string; at: number; done: (fault?: unknown) => void }
  let turn: Turn[] = []
  let isWorking = true
  const write = () => {
    const all = turn
    turn = []
    try {
      transactionOf(db, () => {
        for (const [key, id] of fresh) words.id.run(key, id)
        words.add.run(JSON.stringify(all.map(({ id, at }) => [logs.get(id)!.key, at])))
        if (Math.abs(now() - swept) > 60_000) words.forget.run(now() - longest)
      })
      fresh.length = 0
      if (Math.abs(now() - swept) > 60_000) swept = now()
      isWorking = true
      for (const { done } of all) done()
    } catch (error) {
      isWorking = false
      const cause = storeFault(error, path)
      for (const { done } of all)
        done(new AppError('SERVICE_UNAVAILABLE', 'The limits cannot be written', { cause }))
    }
  }
  return {
    works: () => isWorking,
    take: (id) => {
      const log = logOf(id)
      const asked = now()
      const waitMs = log.waitMs(asked)
      if (waitMs > 0) return Promise.resolve({ ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) })
      const at = log.take(asked)
      return new Promise((resolve, reject) => {
        if (turn.length === 0) setImmediate(write)
        turn.push({ id, at, done: (fault) => (fault === undefined ? resolve({ ok: true }) : reject(fault)) })
      })
    },
    close: async () => {
      if (turn.length > 0) await new Promise((resolve) => setImmediate(resolve))
      db.close()
      lock.release()
    },
  }
}
