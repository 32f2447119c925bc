import { createRequire } from 'node:module'
import type pg from 'pg'
import { postgresFault } from './postgres-faults.ts'
import type { PostgresPlace } from './postgres-url.ts'

const load = createRequire(import.meta.url)

/** What a PostgreSQL server says of itself. `schema` is that of this program, 0 before the first start; `cipher` is `null` without TLS. */
export type PostgresFacts = {
  version: string
  schema: number
  cipher: string | null
  connections: number
  mostConnections: number
}

/** Reads what a PostgreSQL server says of itself over one connection, and changes nothing. STATE_UNUSABLE with the reason if it cannot be reached. */
export async function inspectPostgres(
  place: PostgresPlace,
  password: () => string | undefined,
): Promise<PostgresFacts> {
  const { Client } = load('pg') as typeof import('pg')
  const { host, port, user, database, ssl, applicationName } = place
  const client: pg.Client = new Client({
    ...{ host, port, user, database, ssl },
    password: () => password() ?? '',
    application_name: `${applicationName} doctor`,
    statement_timeout: 5_000,
    query_timeout: 5_000,
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<PostgresFacts & { hasSchema: boolean }>(
      `select current_setting('server_version') as version, to_regclass('sluice_schema') is not null as "hasSchema",
       (select cipher from pg_stat_ssl where pid = pg_backend_pid() and ssl) as cipher,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
       current_setting('max_connections')::int as "mostConnections"`,
    )
    const { hasSchema, ...facts } = rows[0]!
    const found = hasSchema
      ? (await client.query<{ version: number }>('select version from sluice_schema')).rows[0]?.version
      : 0
    return { ...facts, schema: Number(found ?? 0) }
  } catch (error) {
    throw postgresFault(error, `PostgreSQL at ${place.shown}`)
  } finally {
    await client.end().catch(() => undefined)
  }
}
