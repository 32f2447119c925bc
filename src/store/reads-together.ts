import type { DatabaseSync } from 'node:sqlite'

import type { SqlValue } from './sql.ts'

type Run = <Row>(text: string, values?: readonly SqlValue[]) => Row[]
type Asked = {
  text: string
  values: readonly SqlValue[] | undefined
  done: (rows: unknown[]) => void
  failed: (error: unknown) => void
}

/**
 * Reads of one turn of the event loop, done together: SQLite takes and gives back its locks once for all of them, which on a
 * busy server costs more than reading does. `now` does what is waiting, before something is written.
 */
export function readsTogether(
  db: DatabaseSync,
  run: Run,
): { soon: <Row>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>; now: () => void } {
  let asked: Asked[] = []
  const one = ({ text, values, done, failed }: Asked) => {
    try {
      done(run(text, values))
    } catch (error) {
      failed(error)
    }
  }
  const now = () => {
    const all = asked
    asked = []
    // One read is a transaction of its own; and what could not begin one reads one by one.
    const isTogether = all.length > 1 && began(db)
    for (const read of all) one(read)
    if (isTogether && db.isTransaction) db.exec('COMMIT')
  }
  return {
    now,
    soon: <Row>(text: string, values?: readonly SqlValue[]) =>
      new Promise<Row[]>((resolve, reject) => {
        if (asked.length === 0) setImmediate(now)
        asked.push({ text, values, done: resolve as (rows: unknown[]) => void, failed: reject })
      }),
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
