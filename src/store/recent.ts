import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Something with an id, newest first, and a word about it. */
export type Recent = { id: string; about: string }

const words = {
  journal: "select id, kind || ' ' || state as about from operation order by created desc, id desc limit 50",
  quotes: "select id, '' as about from memory order by at desc limit 50",
} as const

/** The newest operations of a journal, or the newest quotes, for whoever types; a file that cannot be read now has none. */
export function recentIn(path: string, kind: keyof typeof words): Recent[] {
  if (!existsSync(path)) return []
  let db: DatabaseSync | undefined
  try {
    // Nothing is made, changed or waited for: another process may be at work in it.
    db = new DatabaseSync(path, { readOnly: true, timeout: 20 })
    return db.prepare(words[kind]).all() as Recent[]
  } catch {
    // Whoever presses a key wants candidates or silence.
    return []
  } finally {
    db?.close()
  }
}
