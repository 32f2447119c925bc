import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from './sql-types.ts'

type Run = <Row>(text: string, values?: readonly SqlValue[]) => Row[]
type QueuedRead = {
  text: string
  values: readonly SqlValue[] | undefined
  /** The cache key of the values, if the rows are cached. */
  name: string | undefined
  done: (rows: unknown[]) => void
  failed: (error: unknown) => void
}

/** Reads that run at the end of a turn. `kept` returns frozen, shared rows. */
type BatchedReads = {
  soon: <Row>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>
  kept: <Row>(text: string, values: readonly (string | number)[]) => Promise<readonly Row[]>
  /** Runs waiting reads before a write, and clears the cache. */
  beforeWrite: () => void
}

const maxCached = 10_000

/**
 * Runs the reads of one turn of the event loop together: SQLite then locks once for all, which on a busy server costs more than
 * reading. Cached rows are valid until the next write, ours or another connection's, which SQLite counts (`PRAGMA data_version`).
 */
export function batchedReads(db: DatabaseSync, run: Run): BatchedReads {
  let asked: QueuedRead[] = []
  const rows = new Map<string, Map<string, readonly unknown[]>>()
  let count = 0
  const forget = () => {
    rows.clear()
    count = 0
  }
  const counter = db.prepare('PRAGMA data_version')
  const version = () => (counter.get() as { data_version: number }).data_version
  let seen: number | undefined
  const check = () => {
    const now = version()
    if (now !== seen) forget()
    seen = now
  }
  /** The cached rows of a read; `undefined` if it must run. */
  const known = ({ text, name }: QueuedRead): readonly unknown[] | undefined =>
    name === undefined ? undefined : rows.get(text)?.get(name)
  const one = (read: QueuedRead) => {
    const { text, values, name, done, failed } = read
    try {
      const found = run<object>(text, values)
      if (name !== undefined) keep(read, Object.freeze(found.map((row) => Object.freeze(row))))
      done(found)
    } catch (error) {
      failed(error)
    }
  }
  const keep = ({ text, name }: QueuedRead, found: readonly unknown[]) => {
    if (++count > maxCached) forget()
    const same = rows.get(text) ?? new Map<string, readonly unknown[]>()
    rows.set(text, same.set(name!, found))
  }
  const now = () => {
    const all = asked
    asked = []
    try {
      if (all.some(({ name }) => name !== undefined)) check()
    } catch {
      // A database error is reported to the reader.
      forget()
    }
    const unknown = all.filter((read) => {
      const found = known(read)
      if (found) read.done(found as unknown[])
      return !found
    })
    // A single read is its own transaction; if none can begin, each read runs alone.
    const isTogether = unknown.length > 1 && beginTransaction(db)
    for (const read of unknown) one(read)
    if (isTogether && db.isTransaction) db.exec('COMMIT')
  }
  const ask = <Row>(text: string, values?: readonly SqlValue[], name?: string) =>
    new Promise<Row[]>((resolve, reject) => {
      if (asked.length === 0) setImmediate(now)
      asked.push({ text, values, name, done: resolve as (rows: unknown[]) => void, failed: reject })
    })
  return {
    soon: ask,
    kept: (text, values) => ask(text, values, JSON.stringify(values)),
    beforeWrite: () => {
      now()
      forget()
    },
  }
}

function beginTransaction(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN')
    return true
  } catch {
    return false
  }
}
