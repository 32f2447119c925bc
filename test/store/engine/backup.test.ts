import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { keyStore, newKey } from '../../../src/store/api-keys/keys.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { describePostgres, newDatabase, openPostgres, postgresUrl } from '../../support/postgres.ts'
import { postgresPassword } from '../../support/postgres-server.ts'

const key = newKey()
const kept = 200

/** Fills a database, and returns how to write on while it is backed up. */
async function filled(sql: Sql) {
  const store = engineStore(sql)
  const save = (at: number) => store.storeFact(1, `fact ${at}`, `${at}`.repeat(50))
  for (let at = 0; at < kept; at++) await save(at)
  await keyStore(sql).add({ id: 'k', customer: 'acme', testnet: false, createdAt: 1, revokedAt: null }, key)
  await store.saveSettings('acme', [['markupBps', '5']], { by: 'k', at: 2 })
  let isOver = false
  const writing = (async () => {
    for (let at = kept; !isOver; at++) await save(at)
  })()
  return async () => {
    isOver = true
    await writing
  }
}

/** Whether a restored database has all that was there when the backup began, without gaps in what came later, and takes writes. */
async function isWhole(sql: Sql) {
  const store = engineStore(sql)
  const facts = await store.facts(1, 'fact ')
  const numbers = facts.map(({ name }) => Number(name.slice(5))).toSorted((a, b) => a - b)
  expect(numbers.length).toBeGreaterThanOrEqual(kept)
  expect(numbers).toEqual(numbers.map((_, at) => at))
  expect(await keyStore(sql).all()).toMatchObject([{ id: 'k', customer: 'acme' }])
  await store.saveSettings('acme', [['markupBps', '6']], { by: 'k', at: 3 })
  expect((await store.settingChanges(9)).map(({ was, value }) => [was, value])).toEqual([
    ['5', '6'],
    [null, '5'],
  ])
  expect(await store.beginRequest('acme', 'r', { digest: 'd', holder: 'h', now: 1 })).toEqual({ is: 'new' })
  await store.close()
}

test('a backup of a SQLite database under writes is whole', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-backup-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const sql = sqliteSql(join(dir, 'serve.db'), { migrations: engineMigrations })
  const stop = await filled(sql)
  // Another process, as an operator does it. SQLite's own backup would start again at each write.
  const script = `new (require('node:sqlite').DatabaseSync)('serve.db').exec("vacuum into 'copy.db'")`
  await promisify(execFile)(process.execPath, ['-e', script], { cwd: dir })
  await stop()
  await sql.close()
  await isWhole(sqliteSql(join(dir, 'copy.db'), { migrations: engineMigrations }))
})

describePostgres('PostgreSQL', () => {
  const tools = ['pg_dump', 'pg_restore']
  const missing = tools.filter((name) => spawnSync(name, ['--version']).status !== 0)
  const name = 'a backup by pg_dump under writes is whole after pg_restore'
  test.skipIf(missing.length > 0)(
    missing.length > 0 ? `${name} (skipped: no ${missing.join(', ')})` : name,
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'sluice-backup-'))
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
      const [from, to] = [await newDatabase(), await newDatabase()]
      const tool = (program: string, ...args: string[]) =>
        promisify(execFile)(program, args, { env: { ...process.env, PGPASSWORD: postgresPassword } })
      const sql = await openPostgres(engineMigrations, { database: from })
      const stop = await filled(sql)
      const file = join(dir, 'sluice.dump')
      await tool('pg_dump', '--format=custom', `--file=${file}`, postgresUrl({ database: from }))
      await stop()
      await sql.close()
      await tool('pg_restore', '--exit-on-error', `--dbname=${postgresUrl({ database: to })}`, file)
      await isWhole(await openPostgres(engineMigrations, { database: to }))
    },
  )
})
