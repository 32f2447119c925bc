import type { Migration } from './sql/sql.ts'
import { openSqlite } from './sql/sqlite.ts'

const migrations: readonly Migration[] = [
  'create table memory (id text primary key, value text not null, at integer not null) strict',
]

/** Small JSON documents that this machine was given and may have to give back, by their id. What is kept is never overwritten: `save` gives what is kept then. */
export type DocumentStore = {
  save: (id: string, value: unknown) => unknown
  find: (id: string) => unknown
  close: () => void
}

/** Opens the memory; what is older than a day is forgotten. */
export function openDocumentStore(path: string, now: () => number): DocumentStore {
  const db = openSqlite(path, { migrations })
  db.prepare('delete from memory where at < ?').run(now() - 86_400_000)
  const find = (id: string): unknown => {
    const row = db.prepare('select value from memory where id = ?').get(id) as { value: string } | undefined
    return row && JSON.parse(row.value)
  }
  return {
    save: (id, value) => {
      db.prepare('insert into memory values (?, ?, ?) on conflict (id) do nothing').run(
        id,
        JSON.stringify(value),
        now(),
      )
      return find(id)
    },
    find,
    close: () => db.close(),
  }
}
