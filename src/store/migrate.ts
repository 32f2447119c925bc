import type { DatabaseSync } from 'node:sqlite'

import { AppError } from '../domain/errors.ts'
import type { Migration } from './sql.ts'

const versionOf = (db: DatabaseSync): number =>
  Number((db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)

/** Brings a SQLite schema to the last of `migrations` in one transaction. A schema that is newer than them is STATE_NEWER_SCHEMA. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[], path: string): void {
  const newer = (found: number) =>
    new AppError(
      'STATE_NEWER_SCHEMA',
      `${path} has schema ${found}, and this version knows ${migrations.length}`,
    )
  if (versionOf(db) > migrations.length) throw newer(versionOf(db))
  if (versionOf(db) === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const found = versionOf(db)
    if (found > migrations.length) throw newer(found)
    for (const step of migrations.slice(found)) db.exec(step)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
