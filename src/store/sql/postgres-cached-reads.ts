import type { Sql, SqlValue } from './sql-types.ts'

const maxCached = 10_000

/**
 * Frequent reads of PostgreSQL. The reads of one turn of the event loop first ask together for the snapshot that a query sees now: as long as it
 * is the same, no transaction has committed since, of any process, and cached rows are as new as rows read again. `version` returns that snapshot.
 */
export function cachedReads(
  version: () => Promise<string>,
  read: <Row>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>,
): Sql['cachedQuery'] {
  /** Rows that were read after a snapshot, by text and values. */
  type Rows = Map<string, Promise<readonly unknown[]>>
  let known: { at: string; rows: Rows } | undefined
  let asking: Promise<Rows> | undefined
  const rowsNow = async (): Promise<Rows> => {
    await new Promise((resolve) => setImmediate(resolve))
    // Whoever asks from here on may have seen a later write.
    asking = undefined
    const at = await version()
    if (known?.at !== at || known.rows.size >= maxCached) known = { at, rows: new Map() }
    return known.rows
  }
  const frozen = async (text: string, values: readonly SqlValue[]) =>
    Object.freeze((await read<object>(text, values)).map((row) => Object.freeze(row)))
  return async <Row>(text: string, values: readonly (string | number)[]) => {
    asking ??= rowsNow()
    const rows = await asking
    const name = JSON.stringify([text, ...values])
    const found = rows.get(name) ?? frozen(text, values)
    rows.set(name, found)
    found.catch(() => rows.delete(name))
    return (await found) as readonly Row[]
  }
}
