import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe, inject } from 'vitest'
import { type PostgresOptions, type PostgresSql, postgresSql } from '../../src/store/sql/postgres.ts'
import { type PostgresPlace, postgresPlace } from '../../src/store/sql/postgres-url.ts'
import type { Migration, Sql } from '../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'

/** Tests that need PostgreSQL. Without one, they are skipped under a name that says why. */
export const describePostgres = (name: string, tests: () => void): void => {
  const { missing } = inject('postgres')
  if (missing === null) describe(name, tests)
  else describe.skip(`${name} (skipped: ${missing})`, tests)
}

/** The URL of the tests' server with another database, user or parameters. */
export function postgresUrl(
  change: { database?: string; user?: string; password?: string; query?: string } = {},
): string {
  const url = new URL(inject('postgres').url)
  if (change.database !== undefined) url.pathname = `/${change.database}`
  if (change.user !== undefined) url.username = change.user
  if (change.password !== undefined) url.password = change.password
  if (change.query !== undefined) url.search = change.query
  return url.href
}

/** Runs statements as the user who may create databases. */
export async function asAdmin(...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of statements) rows = (await client.query(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Makes a database of its own, which ends with the test file. Returns its name. */
export async function newDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template template0 encoding 'UTF8'`)
  made.push(name)
  return name
}

const made: string[] = []
afterAll(async () => {
  for (const name of made.splice(0)) await asAdmin(`drop database if exists ${name} with (force)`)
})

/** The place of a database of the tests' server. */
export const placeOf = (database: string, query?: string): PostgresPlace =>
  postgresPlace(postgresUrl({ database, ...(query !== undefined && { query }) }))

/** Opens a database by its name, or a new one. */
export async function openPostgres(
  migrations: readonly Migration[],
  { database, query, ...options }: Partial<PostgresOptions> & { database?: string; query?: string } = {},
): Promise<PostgresSql> {
  const place = placeOf(database ?? (await newDatabase()), query)
  return postgresSql(place, { migrations, password: () => place.password, ...options })
}

/** Runs the same tests on both databases. `open` makes an empty one with its migrations; `again` opens it once more. */
export function onBothDatabases(
  tests: (open: (migrations: readonly Migration[]) => Promise<Sql>) => void,
): void {
  describe('on SQLite', () => tests(async (migrations) => sqliteSql(':memory:', { migrations })))
  describePostgres('on PostgreSQL', () => tests((migrations) => openPostgres(migrations)))
}

/** The rows of tables that PostgreSQL visits to run a statement. */
export async function rowsVisited(
  sql: Sql,
  text: string,
  values: readonly (string | number)[],
): Promise<number> {
  const literal = text.replace(/\$(\d+)/g, (_, at) => `'${values[at - 1]}'`)
  const [row] = await sql.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${literal}`,
  )
  return rowsOf(row!['QUERY PLAN'][0].Plan)
}

type Plan = {
  Plans?: Plan[]
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
}

const rowsOf = (plan: Plan): number =>
  (plan['Relation Name'] === undefined
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0)
