import type { Sql, SqlValue } from '../sql/sql-types.ts'

/**
 * The conditions of a list, and its values: only those that are asked for, so that SQLite, which plans a statement before it sees the values, can use an
 * index. `mark` adds a value and returns its placeholder, `marks` several.
 */
export function conditions(first: readonly SqlValue[]) {
  const list = [...first]
  const mark = (value: SqlValue): string => `$${list.push(value)}`
  return {
    where: [] as string[],
    values: {
      mark,
      marks: (some: readonly SqlValue[]) => some.map(mark).join(', ') || 'null',
      list: () => [...list],
    },
  }
}

/** Totals up to this number are always counted. */
const alwaysCounted = 10_000
/** How long a larger total may stand, as a multiple of the time that counting it took: so counting takes at most a twentieth of the time. */
const standsFor = 20
const maxKept = 1_000

/** Counts the rows of lists. A total above 10,000 may be a little old. */
export function totalsOf(sql: Pick<Sql, 'query'>) {
  const kept = new Map<string, { total: number; until: number }>()
  return async (text: string, values: readonly SqlValue[]): Promise<number> => {
    const name = JSON.stringify([text, ...values], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    const began = performance.now()
    const known = kept.get(name)
    if (known && began < known.until) return known.total
    const [row] = await sql.query<{ n: number }>(text, values)
    const total = Number(row?.n ?? 0)
    kept.delete(name)
    if (total > alwaysCounted) {
      if (kept.size >= maxKept) kept.clear()
      const now = performance.now()
      kept.set(name, { total, until: now + standsFor * (now - began) })
    }
    return total
  }
}
