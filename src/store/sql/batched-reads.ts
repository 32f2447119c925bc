import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from './sql.ts'

type Run = <Row>(text: string, values?: readonly SqlValue[]) => Row[]
type Asked = {
  text: string
  values: readonly SqlValue[] | undefined
  /** What the values are known by, where the rows are kept. */
  name: string | undefined
  done: (rows: unknown[]) => void
  failed: (error: unknown) => void
}

/** Reads that wait for the end of a turn. `kept` gives frozen rows, which many share. */
type ReadsTogether = {
  soon: <Row>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>
  kept: <Row>(text: string, values: readonly (string | number)[]) => Promise<readonly Row[]>
  /** Does what is waiting, before something is written: afterwards nothing is known any more. */
  beforeWrite: () => void
}

const mostKept = 10_000

/**
 * Reads of one turn of the event loop, done together: SQLite takes and gives back its locks once for all of them, which on a
 * busy server costs more than reading does. What is kept is what was read since the last write: ours, or one of another connection,
 * which SQLite counts (`PRAGMA data_version`).
 */
export function batchedReads(db: DatabaseSync, run: Run): ReadsTogether {
  let asked: Asked[] = []
  const rows = new Map<string, Map<string, readonly unknown[]>>()
  let count = 0
  const forget = () => {
    rows.clear()
    count = 0
  }
  const version = db.prepare('PRAGMA data_version')
  let seen: unknown
  const check = () => {
    const { data_version: now } = version.get() as { data_version: number }
    if (now !== seen) forget()
    seen = now
  }
  /** What is known of the same question; `undefined` where it has to be read. */
  const known = ({ text, name }: Asked): readonly unknown[] | undefined =>
    name === undefined ? undefined : rows.get(text)?.get(name)
  const one = (read: Asked) => {
    const { text, values, name, done, failed } = read
    try {
      const found = run<object>(text, values)
      if (name !== undefined) keep(read, Object.freeze(found.map((row) => Object.freeze(row))))
      done(found)
    } catch (error) {
      failed(error)
    }
  }
  const keep = ({ text, name }: Asked, found: readonly unknown[]) => {
    if (++count > mostKept) forget()
    const same = rows.get(text) ?? new Map<string, readonly unknown[]>()
    rows.set(text, same.set(name!, found))
  }
  const now = () => {
    const all = asked
    asked = []
    try {
      if (all.some(({ name }) => name !== undefined)) check()
    } catch {
      // What is wrong with the database is told to whoever reads from it.
      forget()
    }
    const unknown = all.filter((read) => {
      const found = known(read)
      if (found) read.done(found as unknown[])
      return !found
    })
    // One read is a transaction of its own; and what could not begin one reads one by one.
    const isTogether = unknown.length > 1 && began(db)
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

function began(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN')
    return true
  } catch {
    return false
  }
}
