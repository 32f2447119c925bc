import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../sql/sql-types.ts'
import { openSqlite, storeFault } from '../sql/sqlite.ts'

/** At most `most` requests in any stretch of `ms` milliseconds. */
export type Window = { ms: number; most: number }

/** Whether a request was accepted; if not, after how many whole seconds the next one would be. */
export type LimitResult = { ok: true } | { ok: false; retryAfterSeconds: number }

/** A sliding log of requests by id, exact across all processes that share its file and across restarts. */
export type Limiter = {
  take: (id: string) => LimitResult
  /** Blocks an id until a time (epoch ms), at most for the longest window. */
  block: (id: string, untilMs: number) => void
  /** Ends the block of an id. */
  unblock: (id: string) => void
  close: () => void
}

/** The windows, the clock (epoch ms), and how long to wait for another process (`busyMs`). */
export type LimiterOptions = { windows: readonly Window[]; now: () => number; busyMs?: number }

const migrations: readonly Migration[] = [
  `create table log (id text not null, seq integer not null, at integer not null, primary key (id, seq)) strict, without rowid;
   create table blocked (id text primary key, until integer not null) strict, without rowid`,
]

/**
 * Opens a limiter. Every accepted request is a row; the next one is accepted if the row `most` back is older than `ms`, checked and
 * written by one statement. A kill loses nothing; a power cut may lose the newest rows.
 */
export function openLimiter(path: string, { windows, now, busyMs }: LimiterOptions): Limiter {
  const longest = Math.max(...windows.map(({ ms }) => ms))
  const faultless = <value>(work: () => value): value => {
    try {
      return work()
    } catch (error) {
      throw storeFault(error, path)
    }
  }
  const db = openSqlite(path, { migrations, ...(busyMs !== undefined && { busyMs }) })
  const words = faultless(() => {
    // Otherwise each request would wait for the disk, which a limit is not worth.
    db.exec('PRAGMA synchronous = OFF')
    return prepared(db, windows, longest)
  })
  let swept = Number.NEGATIVE_INFINITY
  /** Deletes the rows of ids that are no longer used. */
  const sweep = (at: number) => {
    if (Math.abs(at - swept) <= longest) return
    for (const table of words.sweep) table.run(at - longest)
    swept = at
  }
  /** Moves rows from the future, left by a corrected clock, to now, never earlier. */
  const fromTheFuture = (id: string) => {
    db.exec('BEGIN IMMEDIATE')
    words.shift.run({ id, now: now() })
    db.exec('COMMIT')
  }
  const waitAt = (id: string, at: number): number =>
    Math.max(1, Number((words.wait.get({ id, now: at }) as { ms: number | null }).ms ?? 0))
  return {
    take: (id) =>
      faultless(() => {
        const at = now()
        sweep(at)
        if (Number(words.take.run({ id, now: at }).changes) === 1) return { ok: true }
        const ms = waitAt(id, at)
        if (ms <= longest + 1) return { ok: false, retryAfterSeconds: Math.ceil(ms / 1000) }
        fromTheFuture(id)
        return { ok: false, retryAfterSeconds: Math.ceil(waitAt(id, now()) / 1000) }
      }),
    block: (id, untilMs) =>
      faultless(() => {
        const most = now() + longest
        words.block.run({ id, most, until: Math.min(Math.ceil(untilMs), most) })
      }),
    unblock: (id) => faultless(() => void words.unblock.run({ id })),
    close: () => db.close(),
  }
}

function prepared(db: DatabaseSync, windows: readonly Window[], longest: number) {
  const most = Math.max(...windows.map((one) => one.most))
  const last = `last (seq, at) as (select coalesce(max(seq), 0), max(:now, coalesce(max(at), 0)) from
    (select seq, at from log where id = :id order by seq desc limit 1))`
  const full = windows.map(
    (one) =>
      `exists (select 1 from log where id = :id and seq = last.seq + 1 - ${one.most} and at >= last.at - ${one.ms})`,
  )
  const isBlocked = `exists (select 1 from blocked where id = :id and until > :now and until <= :now + ${longest})`
  const ends = windows.map(
    (one) =>
      `select log.at + ${one.ms + 1} - :now from log, last where id = :id and log.seq = last.seq + 1 - ${one.most}`,
  )
  // Rows that no longer count are deleted with each new one: an id never has more than `most`.
  db.exec(`create temp trigger forget after insert on main.log begin
    delete from log where id = new.id and seq <= new.seq - ${most};
  end`)
  return {
    take: db.prepare(
      `with ${last} insert into log select :id, last.seq + 1, last.at from last where not (${[...full, isBlocked].join(' or ')})`,
    ),
    wait: db.prepare(
      `with ${last} select max(ms) as ms from (${ends.map((one) => `select (${one}) as ms`).join(' union all ')}
       union all select (select until - :now from blocked where id = :id and until <= :now + ${longest}))`,
    ),
    block: db.prepare(
      `insert into blocked values (:id, :until) on conflict (id) do update set
       until = case when until > :most then excluded.until else max(until, excluded.until) end`,
    ),
    unblock: db.prepare('delete from blocked where id = :id'),
    shift: db.prepare(
      'update log set at = at - max(0, (select max(at) from log where id = :id) - :now) where id = :id',
    ),
    sweep: ['delete from log where at < ?', 'delete from blocked where until < ?'].map((text) =>
      db.prepare(text),
    ),
  }
}
