import type { SqlValue } from './sql-types.ts'

type Row = Readonly<Record<string, SqlValue>>

/** The statement that inserts a row, and its values. A key is the name of a column in camel case; `onConflict` says what is done where the row is there. */
export const insertOf = (table: string, row: Row, onConflict = ''): [text: string, values: SqlValue[]] =>
  insertOfAll(table, [row], onConflict)

/** The statement that inserts rows of the same columns, at least one, and its values. */
export function insertOfAll(
  table: string,
  rows: readonly Row[],
  onConflict = '',
): [text: string, values: SqlValue[]] {
  const keys = Object.keys(rows[0]!)
  const columns = keys.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const places = rows.map((_, row) => `(${keys.map((_, at) => `$${row * keys.length + at + 1}`).join(', ')})`)
  const text = `insert into ${table} (${columns.join(', ')}) values ${places.join(', ')} ${onConflict}`
  return [text.trimEnd(), rows.flatMap((row) => keys.map((key) => row[key]!))]
}
