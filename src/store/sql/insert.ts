import type { SqlValue } from './sql-types.ts'

/** The statement that inserts a row, and its values. A key is the name of a column in camel case; `onConflict` says what is done where the row is there. */
export function insertOf(
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  onConflict = '',
): [text: string, values: SqlValue[]] {
  const columns = Object.keys(row).map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const places = columns.map((_, at) => `$${at + 1}`)
  const text = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) ${onConflict}`
  return [text.trimEnd(), Object.values(row)]
}
