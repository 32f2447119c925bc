/** A value of a query. Amounts are stored as decimal text, because SQL integers are too small. */
export type SqlValue = string | number | bigint | null | Uint8Array

/**
 * `isOrderedByLocks`: the work first locks a row by writing it, and whatever else it reads may also have been committed since (READ COMMITTED). For work that
 * reads what many others write all the time, which would conflict with them for ever.
 */
export type TransactionOptions = { isOrderedByLocks?: boolean }

/** Any SQL database. Placeholders are `$1`, `$2`, ... A read sees every write of this process that was awaited before it. */
export type Sql = {
  query: <Row = Record<string, SqlValue>>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>
  /** A frequent read. Its rows are shared and frozen, and as new as those of `query`. */
  cachedQuery: <Row>(text: string, values: readonly (string | number)[]) => Promise<readonly Row[]>
  /**
   * Runs `work` in one transaction; an exception rolls back. It may run more than once if others write meanwhile, so its only effects are its
   * queries. Calls must not be nested.
   */
  transaction: <T>(work: (sql: Pick<Sql, 'query'>) => Promise<T>, options?: TransactionOptions) => Promise<T>
  close: () => Promise<void>
}

/** One schema migration: SQL that both databases understand, or a text for each. Its number is its position in the list, from 1. */
export type Migration = string | { sqlite: string; postgres: string }
