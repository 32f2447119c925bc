import { createHash } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { refuseSharedFile } from '../file-ownership.ts'
import { openSqlite, storeFault, transactionOf } from '../sql/sqlite.ts'
import { journalMigrations } from './migrations.ts'
import type { Row } from './rows.ts'

type Value = string | number | null

/** The journal's database with the few operations it needs. `run` and `put` belong inside `write`, which is one transaction. */
export type JournalDb = {
  all: (text: string, ...values: Value[]) => Row[]
  one: (text: string, ...values: Value[]) => Row | undefined
  run: (text: string, ...values: Value[]) => void
  put: (table: string, row: Readonly<Record<string, Value>>) => void
  write: <T>(work: () => T) => T
  close: () => void
}

/** SHA-256 of a text, in hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Opens and checks the file. JOURNAL_UNREADABLE if it is damaged, since it may have been signed with. */
export function openJournalDb(path: string): JournalDb {
  refuseSharedFile(path)
  const db = openSqlite(path, { migrations: journalMigrations, corrupt: 'JOURNAL_UNREADABLE' })
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw storeFault(error, path, 'JOURNAL_UNREADABLE')
    }
  }
  // Statements are prepared once.
  const statements = new Map<string, ReturnType<typeof db.prepare>>()
  const prepared = (text: string) => {
    const statement = statements.get(text) ?? db.prepare(text)
    statements.set(text, statement)
    return statement
  }
  const all: JournalDb['all'] = (text, ...values) => guarded(() => prepared(text).all(...values) as Row[])
  const run: JournalDb['run'] = (text, ...values) => void prepared(text).run(...values)
  // The full check: a damaged index could hide an operation, which would then be paid again.
  const broken = all('PRAGMA integrity_check(1)')[0]
  if (broken?.integrity_check !== 'ok') {
    db.close()
    throw new AppError('JOURNAL_UNREADABLE', `${path} is damaged`, { details: { path } })
  }
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
    write: (work) => guarded(() => transactionOf(db, work)),
    close: () => db.close(),
  }
}
