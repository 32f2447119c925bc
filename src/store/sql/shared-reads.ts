import type { Sql, SqlValue } from './sql-types.ts'

/**
 * Frequent reads of PostgreSQL: of the same text and values, one is under way at a time, and all that are asked for meanwhile are the next one. So
 * each sees every commit before it was asked for, and a crowd costs two reads. Keeping rows would not be cheaper: whether they still hold is a question to
 * PostgreSQL too, and on a busy server each is answered by no.
 */
export function sharedReads(
  read: <Row>(text: string, values: readonly SqlValue[]) => Promise<Row[]>,
): Sql['cachedQuery'] {
  const waiting = new Map<string, Promise<readonly unknown[]>>()
  const underWay = new Map<string, Promise<readonly unknown[]>>()
  const send = (name: string, text: string, values: readonly SqlValue[]) => {
    const rows = read<object>(text, values).then((found) =>
      Object.freeze(found.map((row) => Object.freeze(row))),
    )
    underWay.set(name, rows)
    const ended = () => underWay.delete(name)
    rows.then(ended, ended)
    return rows
  }
  return <Row>(text: string, values: readonly (string | number)[]) => {
    const name = JSON.stringify([text, ...values])
    const before = underWay.get(name)
    const next = () => {
      waiting.delete(name)
      return send(name, text, values)
    }
    const rows = waiting.get(name) ?? (before ? before.then(next, next) : send(name, text, values))
    if (before) waiting.set(name, rows)
    return rows as Promise<readonly Row[]>
  }
}
