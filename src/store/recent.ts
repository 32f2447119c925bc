import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Something with an id, newest first, and a word about it. */
export type RecentItem = { id: string; about: string }

/** A quote that a profile was given; `until` is when it expires, in epoch ms, and `null` where it never said. */
export type RecentQuote = RecentItem & { until: number | null }

/** A quote whose swap has begun; `isNamed` is 1 where the quote was named, so that naming it once more goes on with the same. */
export type StartedSwap = { id: string; isNamed: 0 | 1; state: string }

/** The newest operations of a journal, for whoever types. */
export const recentOperations = (journal: string): RecentItem[] =>
  rowsOf(
    journal,
    "select id, kind || ' ' || state as about from operation order by created desc, id desc limit 50",
  ) as RecentItem[]

/** The newest quotes that a profile was given, for whoever types. */
export const recentQuotes = (memory: string, profile: string): RecentQuote[] =>
  rowsOf(
    memory,
    `select id, json_extract(value, '$.seen.about') as about, json_extract(value, '$.seen.until') as until from memory
     where json_extract(value, '$.seen.profile') = ? order by at desc limit 50`,
    profile,
  ) as RecentQuote[]

/** What a journal holds under the ids of some quotes. */
export const startedSwaps = (journal: string, ids: readonly string[]): StartedSwap[] =>
  rowsOf(
    journal,
    `select id, idem_key = id and json_extract(request, '$.quote') is not null as isNamed, state from operation where state <> 'DROPPED' and id in (${ids.map(() => '?').join(', ')})`,
    ...ids,
  ) as StartedSwap[]

/** What a file says; one that cannot be read now says nothing. */
function rowsOf(path: string, question: string, ...values: SQLInputValue[]): unknown[] {
  if (!existsSync(path)) return []
  let db: DatabaseSync | undefined
  try {
    // Nothing is made, changed or waited for: another process may be at work in it.
    db = new DatabaseSync(path, { readOnly: true, timeout: 20 })
    return db.prepare(question).all(...values)
  } catch {
    // Whoever presses a key wants candidates or silence.
    return []
  } finally {
    db?.close()
  }
}
