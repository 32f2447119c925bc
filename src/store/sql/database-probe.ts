import { AppError } from '../../domain/errors.ts'
import type { Sql } from './sql-types.ts'

/** Throws STATE_UNUSABLE unless the database takes writes. Nothing is stored: the transaction changes no row, which a read-only database refuses too. */
export const probeWrites = (sql: Sql): Promise<void> =>
  sql.transaction(async ({ query }) => {
    await query('update chain_tracking set holder = holder where chain_id = -1')
  })

/** Throws STATE_UNUSABLE if the schema is older than this program. A newer one is that of the next version, which starts beside this one. */
export async function probeSchema(sql: Sql, kind: 'sqlite' | 'postgres', wanted: number): Promise<void> {
  const [row] = await sql.query<Record<string, number>>(
    kind === 'sqlite' ? 'pragma user_version' : 'select version from sluice_schema',
  )
  const found = Number(Object.values(row ?? {})[0] ?? 0)
  if (found >= wanted) return
  throw new AppError('STATE_UNUSABLE', `The database has schema ${found}, but this version needs ${wanted}`)
}
