import type { Migration } from './sql.ts'
import { openSqlite } from './sqlite.ts'

const migrations: readonly Migration[] = [
  'create table memory (id text primary key, value text not null, at integer not null) strict',
]

/** Small JSON documents that this machine was given and may have to give back, by their id. */
export type Memory = {
  save: (id: string, value: unknown) => void
  find: (id: string) => unknown
  close: () => void
}

/** Opens the memory; what is older than a day is forgotten. */
export function openMemory(path: string, now: () => number): Memory {
  const db = openSqlite(path, { migrations })
  db.prepare('delete from memory where at < ?').run(now() - 86_400_000)
  return {
    save: (id, value) =>
      void db
        .prepare('insert into memory values (?, ?, ?) on conflict (id) do update set value = excluded.value')
        .run(id, JSON.stringify(value), now()),
    find: (id) => {
      const row = db.prepare('select value from memory where id = ?').get(id) as { value: string } | undefined
      return row && JSON.parse(row.value)
    },
    close: () => db.close(),
  }
}
