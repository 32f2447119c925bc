import { digestOf, type KeyOwner, type keyStore } from './keys.ts'
import type { Sql } from './sql.ts'

const most = 10_000

/**
 * Whose key it is, remembered until somebody else writes into the database: SQLite counts the writes of others
 * (`PRAGMA data_version`), so a key that is revoked by another process is refused with the next request. One connection
 * asks, which must not write keys itself.
 */
export function rememberedOwner(
  sql: Sql,
  { owner }: Pick<ReturnType<typeof keyStore>, 'owner'>,
): (apiKey: string) => Promise<KeyOwner | undefined> {
  const known = new Map<string, KeyOwner>()
  let seen: number | undefined
  let asking: Promise<void> | undefined
  /** Requests that come at once ask once. */
  const fresh = () => {
    asking ??= sql
      .query<{ data_version: number }>('PRAGMA data_version')
      .then(([row]) => {
        if (row?.data_version !== seen || known.size > most) known.clear()
        seen = row?.data_version
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return async (apiKey) => {
    await fresh()
    const digest = digestOf(apiKey)
    const remembered = known.get(digest)
    if (remembered) return remembered
    const found = await owner(digest)
    if (found) known.set(digest, found)
    return found
  }
}
