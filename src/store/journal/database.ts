import { AppError } from '../../domain/errors.ts'
import { refuseSharedFile } from '../file-ownership.ts'
import { openSqlite, storeFault, transactionOf } from '../sql/sqlite.ts'
import { type JournalDb, queriesOf } from './journal-db.ts'
import { journalMigrations } from './migrations.ts'

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
  const queries = queriesOf(db, guarded)
  // The full check: a damaged index could hide an operation, which would then be paid again.
  const broken = queries.all('PRAGMA integrity_check(1)')[0]
  if (broken?.integrity_check !== 'ok') {
    db.close()
    throw new AppError('JOURNAL_UNREADABLE', `${path} is damaged`, { details: { path } })
  }
  return {
    ...queries,
    write: (work) => guarded(() => transactionOf(db, work)),
    close: () => db.close(),
  }
}
