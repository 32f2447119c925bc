/** A value of a query. Amounts are stored as decimal text, because SQL integers are too small. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** Any SQL database. Placeholders are `$1`, `$2`, ... */
export type Sql = {
  query: <Row = Record<string, SqlValue>>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>
  /** A frequent read. Its rows are shared and frozen, and read again after any write. */
  cachedQuery: <Row>(text: string, values: readonly (string | number)[]) => Promise<readonly Row[]>
  /** Runs `work` in one transaction; an exception rolls back. Calls wait for each other and must not be nested. */
  transaction: <T>(work: (sql: Pick<Sql, 'query'>) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** One schema migration; its number is its position in the list, from 1. */
export type Migration = string
