import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineMigrations } from '../../src/store/engine/store.ts'
import { journalMigrations } from '../../src/store/journal/migrations.ts'
import { openSqlite } from '../../src/store/sql/sqlite.ts'

const databases = { 'journal.db': journalMigrations, 'engine.db': engineMigrations }

let template: string | undefined

/** The directory with the empty databases of a sandbox, made once a worker. */
function templateDirectory(): string {
  if (template !== undefined) return template
  template = mkdtempSync(join(tmpdir(), 'sluice-empty-databases-'))
  for (const [name, migrations] of Object.entries(databases))
    openSqlite(join(template, name), { migrations }).close()
  return template
}

/** Puts the empty databases of a sandbox into a new home directory: migrating them there takes many times longer. */
export function addEmptyDatabases(home: string): void {
  const to = join(home, 'data', 'sandbox')
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of Object.keys(databases)) copyFileSync(join(templateDirectory(), name), join(to, name))
}
