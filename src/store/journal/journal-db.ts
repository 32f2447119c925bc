import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Row } from './rows.ts'

type Value = string | number | null

/** The reads and writes of one database. `run` and `put` belong inside a transaction. */
export type JournalQueries = {
  all: (text: string, ...values: Value[]) => Row[]
  one: (text: string, ...values: Value[]) => Row | undefined
  run: (text: string, ...values: Value[]) => void
  put: (table: string, row: Readonly<Record<string, Value>>) => void
}

/** The journal's database; `write` is one transaction. */
export type JournalDb = JournalQueries & { write: <T>(work: () => T) => T; close: () => void }

/** SHA-256 of a text, in hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The queries of a database, each statement prepared once; `guarded` converts the failure of a read. */
export function queriesOf(
  db: DatabaseSync,
  guarded: <T>(read: () => T) => T = (read) => read(),
): JournalQueries {
  const statements = new Map<string, ReturnType<typeof db.prepare>>()
  const prepared = (text: string) => {
    const statement = statements.get(text) ?? db.prepare(text)
    statements.set(text, statement)
    return statement
  }
  const all: JournalQueries['all'] = (text, ...values) =>
    guarded(() => prepared(text).all(...values) as Row[])
  const run: JournalQueries['run'] = (text, ...values) => void prepared(text).run(...values)
  return {
    all,
    run,
    one: (text, ...values) => all(text, ...values)[0],
    put: (table, row) => {
      const names = Object.keys(row)
      run(
        `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
        ...Object.values(row),
      )
    },
  }
}
