/** What a query takes and gives. Amounts are stored as decimal text, because SQL integers are too small for them. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** A database, whichever it is. Placeholders are `$1`, `$2`, ... */
export type Sql = {
  query: <Row = Record<string, SqlValue>>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>
  /** A read that is asked again and again. Its rows are shared and frozen; they are read again once anybody wrote anything. */
  cachedQuery: <Row>(text: string, values: readonly (string | number)[]) => Promise<readonly Row[]>
  /** Runs `work` in one transaction; what it throws rolls back. Calls wait for each other and must not be nested. */
  transaction: <T>(work: (sql: Pick<Sql, 'query'>) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** One step of a schema's life; its number is its place in the list, from 1. */
export type Migration = string
