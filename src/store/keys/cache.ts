import type { Sql } from '../sql/sql.ts'
import { type KeyOwner, keyDigest, type keyStore } from './keys.ts'

const most = 10_000

/** How long it may take until a key that another process revoked is refused, in ms. */
const agesMs = 10

/**
 * What is made of the owner of a key, remembered until somebody else writes into the database: SQLite counts the writes of others
 * (`PRAGMA data_version`), so a key that is revoked by another process is refused at once, or 10 ms later. One connection
 * asks, which must not write keys itself.
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
    if (row?.data_version !== seen || known.size > most) known.clear()
    seen = row?.data_version
  }
  return async (apiKey) => {
    const now = performance.now()
    if (now - checked > agesMs) await check(now)
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
