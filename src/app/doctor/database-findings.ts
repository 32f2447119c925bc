import { existsSync } from 'node:fs'
import { doubtful, type Finding, fine, found } from '../../cli/health-findings.ts'
import { AppError } from '../../domain/errors.ts'

import type { BackendInputs } from '../backends/backend-input-types.ts'

/** The connections that the jobs of one instance hold beside its pool. */
const jobConnections = 4

/**
 * Checks the database of `sluice serve` that the environment or the profile names: whether it answers, its schema, TLS, and room for the connections of one more
 * instance. Nothing without one. It changes nothing.
 */
export async function databaseFindings(needs: Pick<BackendInputs, 'env' | 'secrets'>): Promise<Finding[]> {
  if (needs.secrets.databaseUrl === undefined && !needs.env.SLUICE_DATABASE_URL) return []
  return found('database', null, async () => {
    const [{ servedDatabase }, { engineMigrations }] = await Promise.all([
      import('../serving/served-database.ts'),
      import('../../store/engine/store.ts'),
    ])
    const database = await servedDatabase('', undefined, needs)
    const known = engineMigrations.length
    if (database.kind === 'sqlite')
      return fine(
        'database',
        database.shown,
        existsSync(database.shown)
          ? 'is a SQLite file, for one instance of sluice serve'
          : 'is a SQLite file that sluice serve makes at its first start',
        { database: database.shown },
      )
    const { inspectPostgres } = await import('../../store/sql/postgres-inspection.ts')
    const { place, shown, password } = database
    const began = performance.now()
    const facts = await inspectPostgres(place, password)
    const ms = Math.round(performance.now() - began)
    const { version, schema, cipher, connections, mostConnections } = facts
    if (schema > known)
      throw new AppError(
        'STATE_NEWER_SCHEMA',
        `PostgreSQL at ${shown} has schema ${schema}, but this version supports ${known}`,
        { next: 'A newer version has migrated this database. Update this one.' },
      )
    const says = `PostgreSQL ${version} answers in ${ms} ms, schema ${schema} of ${known}, ${cipher === null ? 'without TLS' : `TLS (${cipher})`}, ${connections} of ${mostConnections} connections in use`
    const wanted = place.poolSize + jobConnections
    const details = { ...facts, ms, wanted }
    return connections + wanted > mostConnections
      ? doubtful(
          'database',
          shown,
          says,
          `An instance takes up to ${wanted} connections. Raise max_connections, or lower pool_max_conns in the URL.`,
          details,
        )
      : fine('database', shown, says, details)
  })
}
