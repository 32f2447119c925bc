import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../sql/sql.ts'
import { openSqlite, storeFault } from '../sql/sqlite.ts'

/** In any stretch of `ms` milliseconds, at most `most` requests. */
export type Window = { ms: number; most: number }

/** Whether a request was let in; if not, whoever waits for so many whole seconds is, as long as nobody else asks. */
export type LimitResult = { ok: true } | { ok: false; retryAfterSeconds: number }

/** A sliding log of requests by id, exact over all processes that share its file, and over their ends. */
export type Limiter = {
  take: (id: string) => LimitResult
  /** Lets nobody in until then (epoch ms), for as long as the longest window at most. */
  block: (id: string, untilMs: number) => void
  /** Forgets that nobody is to be let in. */
  unblock: (id: string) => void
  close: () => void
}

/** Which file it is kept in, what is let in, and the clock (epoch ms). `busyMs` is how long another process is waited for. */
export type LimiterOptions = { windows: readonly Window[]; now: () => number; busyMs?: number }

const migrations: readonly Migration[] = [
  `create table log (id text not null, seq integer not null, at integer not null, primary key (id, seq)) strict, without rowid;
   create table blocked (id text primary key, until integer not null) strict, without rowid`,
]

/**
 * Opens a limiter. Every request that was let in is a row; the next one is let in only when the row `most` back is more than
 * `ms` old, which one statement asks and writes. What a killed process wrote stays; a power cut may lose the newest rows.
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
    // Each request waits for the disk otherwise, and a limit is not worth that.
    db.exec('PRAGMA synchronous = OFF')
    return prepared(db, windows, longest)
  })
  let swept = Number.NEGATIVE_INFINITY
  /** Ids that nobody asks with any more leave nothing behind. */
  const sweep = (at: number) => {
    if (Math.abs(at - swept) <= longest) return
    for (const table of words.sweep) table.run(at - longest)
    swept = at
  }
  /** Rows from a future that a corrected clock took back are as if they were of now: never earlier than they were. */
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
  // What can no longer count goes with the row that comes: an id never has more than `most`.
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

/** When requests were let in, and whether one more may be: in any stretch of each window, its ends included, at most so many. */
export type SlidingLog = {
  /** How long until one more is let in, in ms; 0 is now. */
  waitMs: (now: number) => number
  /** Lets one in, and answers with the time that it counts for: never earlier than the one before. */
  take: (now: number) => number
  /** Gives back the newest places, as if nobody had taken them. */
  giveBack: (count: number) => void
  /** Adds one that was let in before. */
  add: (at: number) => void
}

/** A log with nothing in it. Times are epoch ms. */
export function slidingLog(windows: readonly Window[]): SlidingLog {
  const most = Math.max(...windows.map((window) => window.most))
  const longest = Math.max(...windows.map(({ ms }) => ms))
  let times: number[] = []
  const waitAt = (now: number): number => {
    const last = times.at(-1) ?? now
    const at = Math.max(now, last)
    let wait = 0
    for (const window of windows) {
      const oldest = times[times.length - window.most]
      if (oldest !== undefined && at - oldest <= window.ms)
        wait = Math.max(wait, oldest + window.ms + 1 - now)
    }
    return wait
  }
  const add = (at: number) => {
    times.push(at)
    if (times.length >= 2 * most) times = times.slice(-most)
  }
  return {
    waitMs: (now) => {
      const wait = waitAt(now)
      if (wait <= longest + 1) return wait
      // A clock that was ahead has been put back: what was let in then counts as if it were now, never as earlier.
      const ahead = times.at(-1)! - now
      times = times.map((at) => at - ahead)
      return waitAt(now)
    },
    take: (now) => {
      const at = Math.max(now, times.at(-1) ?? now)
      add(at)
      return at
    },
    giveBack: (count) => {
      times.length = Math.max(0, times.length - count)
    },
    add,
  }
}
