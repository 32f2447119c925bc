import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { serveControl } from '../../../src/sandbox/control-server.ts'
import { sandboxFiles, writeRecord } from '../../../src/sandbox/daemon-record.ts'
import type { Loopback } from '../../../src/sandbox/loopback-server.ts'
import { keyStore, newKey } from '../../../src/store/api-keys/keys.ts'
import { engineMigrations } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { type Program, type ProgramHome, programHome, startSluice } from '../spawn-program.ts'
import { oneDocument } from '../use-commands.ts'
import type { TestSandbox } from '../use-sandbox.ts'

/** `sluice serve` as a separate process over the sandbox of a test file. */
export type TestServe = {
  url: () => string
  place: () => ProgramHome
  process: () => Program
  database: () => string
  /** Makes a key for a customer, in the database of the server. */
  newKey: (customer?: string) => Promise<string>
}

/** A home directory whose processes reach the sandbox of a test file as they reach the sandbox daemon. */
export function useReachable(sandbox: TestSandbox): () => ProgramHome {
  let place: ProgramHome | undefined
  let control: Loopback | undefined
  beforeAll(async () => {
    place = programHome(inject('sandboxCache'))
    const token = randomBytes(32).toString('hex')
    control = await serveControl({
      world: sandbox.world,
      token,
      onCall: () => undefined,
      onReset: () => undefined,
      down: async () => undefined,
    })
    const { record } = sandboxFiles(place.data)
    mkdirSync(dirname(record), { recursive: true, mode: 0o700 })
    writeRecord(record, {
      pid: process.pid,
      controlUrl: control.url,
      token,
      catalog: sandbox.world.catalog(),
    })
  })
  afterAll(async () => {
    await control?.close()
    await place?.end()
  })
  return () => up(place)
}

const up = <value>(value: value | undefined): value => {
  if (value === undefined) throw new Error('it is up only inside tests and hooks')
  return value
}

/** Serves the sandbox of a test file by a separate process, which reaches it as it reaches the sandbox daemon. */
export function useServe(sandbox: TestSandbox, more: readonly string[] = []): TestServe {
  const place = useReachable(sandbox)
  let process_: Program | undefined
  let said: { url: string; database: string } | undefined
  beforeAll(async () => {
    process_ = startSluice(place().home, ['serve', '--port', '0', '--json', '--quiet', ...more])
    said = oneDocument(await process_.line())
  })
  afterAll(async () => {
    process_?.child.kill('SIGTERM')
    await process_?.ended
  })
  return {
    url: () => up(said).url,
    place,
    process: () => up(process_),
    database: () => up(said).database,
    newKey: async (customer = 'acme') => {
      const sql = sqliteSql(up(said).database, { migrations: engineMigrations })
      const key = newKey()
      const row = { id: randomUUID(), customer, testnet: false, createdAt: Date.now(), revokedAt: null }
      await keyStore(sql).add(row, key)
      await sql.close()
      return key
    },
  }
}
