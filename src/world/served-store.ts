import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { AppError } from '../domain/errors.ts'
import type { KeyOwner } from '../store/keys.ts'

/** What the engine remembers and whose keys are known, in one file. */
export async function openStore(database: string) {
  const [{ engineMigrations, engineStore }, { keyStore }, { rememberedOwner }, { sqliteSql }] =
    await Promise.all([
      import('../store/engine.ts'),
      import('../store/keys.ts'),
      import('../store/key-cache.ts'),
      import('../store/sqlite.ts'),
    ])
  const sql = sqliteSql(database, { migrations: engineMigrations })
  const keys = keyStore(sql)
  const owners = <made>(make: (owner: KeyOwner) => made) => rememberedOwner(sql, keys, make)
  return { engine: engineStore(sql), keys, owners, close: sql.close }
}

/** The file of a database: a path, or a URL of SQLite. */
export function databaseOf(dir: string, wanted: string | undefined): string {
  if (wanted === undefined) return join(dir, 'serve.db')
  const path = wanted.replace(/^sqlite:(\/\/)?/, '')
  if (!/^[a-z][a-z0-9+.-]*:/i.test(path) && path !== '') return real(resolve(path))
  throw new AppError('CONFIG_INVALID', 'The database of a server is a SQLite file', {
    hint: '--database sqlite:/var/lib/sluice/serve.db',
  })
}

/** A path without its links: a file under two names is one file, and its limits are one. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const parent = dirname(path)
    return parent === path ? path : join(real(parent), basename(path))
  }
}
