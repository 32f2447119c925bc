import type { Sql } from '../sql/sql.ts'
import { type KeyOwner, keyDigest, type keyStore } from './keys.ts'

const maxCached = 10_000

/** How long a key may still work after another process revoked it, in ms. */
const maxStaleMs = 10

/**
 * A cache of values made from key owners, cleared when another process writes the database: SQLite counts foreign writes (`PRAGMA
 * data_version`), so a revoked key is refused at once, or within 10 ms. Its connection must not write keys itself.
 */
export function cachedKeyOwner<made>(
  sql: Sql,
  { owner }: Pick<ReturnType<typeof keyStore>, 'owner'>,
  make: (owner: KeyOwner) => made,
): (apiKey: string) => Promise<made | undefined> {
  const known = new Map<string, made>()
  let seen: number | undefined
  let checked = Number.NEGATIVE_INFINITY
  const check = async (now: number) => {
    checked = now
    const [row] = await sql.query<{ data_version: number }>('PRAGMA data_version')
    if (row?.data_version !== seen || known.size > maxCached) known.clear()
    seen = row?.data_version
  }
  return async (apiKey) => {
    const now = performance.now()
    if (now - checked > maxStaleMs) await check(now)
    const digest = keyDigest(apiKey)
    const remembered = known.get(digest)
    if (remembered) return remembered
    const found = await owner(digest)
    if (!found) return undefined
    const made = make(found)
    known.set(digest, made)
    return made
  }
}
