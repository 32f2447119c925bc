import type { Migration } from './sql/sql-types.ts'
import { openSqlite, transactionOf } from './sql/sqlite.ts'

const migrations: readonly Migration[] = [
  `create table states (scope text not null, subject text not null, condition text not null, is_met integer not null, at integer not null,
     primary key (scope, subject, condition)) strict, without rowid`,
]

type ConditionState = { subject: string; condition: string; isMet: boolean }

/** Opens the last known states of watched conditions, kept between runs. `scope` separates watches. STATE_UNUSABLE if the file cannot be used. */
export function openConditionStates(path: string) {
  const db = openSqlite(path, { migrations })
  const read = db.prepare('select subject, condition, is_met from states where scope = ?')
  const write = db.prepare(
    `insert into states (scope, subject, condition, is_met, at) values (?, ?, ?, ?, ?)
     on conflict (scope, subject, condition) do update set is_met = excluded.is_met, at = excluded.at`,
  )
  return {
    read: (scope: string): ConditionState[] =>
      read.all(scope).map(({ subject, condition, is_met }) => ({
        subject: String(subject),
        condition: String(condition),
        isMet: is_met === 1,
      })),
    save: (scope: string, changed: readonly ConditionState[], at: number) => {
      if (changed.length === 0) return
      transactionOf(db, () => {
        for (const { subject, condition, isMet } of changed)
          write.run(scope, subject, condition, isMet ? 1 : 0, at)
      })
    },
    close: () => db.close(),
  }
}
