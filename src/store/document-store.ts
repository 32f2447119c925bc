import type { Migration } from './sql/sql-types.ts'
import { openSqlite } from './sql/sqlite.ts'

const migrations: readonly Migration[] = [
  'create table memory (id text primary key, value text not null, at integer not null) strict',
]

/**
 * Small JSON documents by id, such as quotes this machine received. Documents are never overwritten: `save` returns the stored one.
 */
export type DocumentStore = {
  save: (id: string, value: unknown) => unknown
  find: (id: string) => unknown
  close: () => void
}

/** Opens the document store and deletes documents older than a day. */
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
