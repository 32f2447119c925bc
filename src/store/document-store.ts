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
  /** The ids of at most `most` documents that begin with a text, newest first. */
  idsBeginning: (start: string, most: number) => string[]
  /** All documents, newest first. */
  all: () => unknown[]
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
    idsBeginning: (start, most) =>
      db
        .prepare('select id from memory where substr(id, 1, ?) = ? order by at desc, id limit ?')
        .all(start.length, start, most)
        .map(({ id }) => String(id)),
    all: () =>
      db
        .prepare('select value from memory order by at desc, id')
        .all()
        .map(({ value }) => JSON.parse(String(value)) as unknown),
    close: () => db.close(),
  }
}
