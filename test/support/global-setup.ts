import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findAnvil } from '../../src/sandbox/anvil.ts'
import { genesis } from '../../src/sandbox/genesis/genesis-cache.ts'
import { allProcesses, endProcess } from '../../src/sandbox/node-processes.ts'
import { startPostgres } from './postgres-server.ts'
import { testCache } from './test-cache.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    sandboxCache: string
    /** The directory of this run, which is part of the command line of its nodes. */
    sandboxNotes: string
    anvil: string
    /** The PostgreSQL of this run; `missing` says why there is none. */
    postgres: { url: string; ca: string | null; missing: string | null }
  }
}

/**
 * Builds the program and the sandbox genesis once, before any test file; later runs reuse both. At the end it stops the
 * nodes that a killed worker left running. A PostgreSQL is started for all test files, where the machine has one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', '..', 'bin', 'build', 'build.js')], {
    stdio: 'inherit',
  })
  const { SLUICE_ANVIL: explicit, PATH: path } = process.env
  const binary = findAnvil({ ...(explicit ? { explicit } : {}), ...(path ? { path } : {}) })
  const cache = testCache()
  const notes = mkdtempSync(join(tmpdir(), 'sluice-test-nodes-'))
  const [postgres] = await Promise.all([startPostgres(), genesis(cache, { binary, noteDir: notes })])
  const isThere = typeof postgres === 'object'
  if (!isThere) process.stderr.write(`Tests of PostgreSQL are skipped: ${postgres}\n`)
  project.provide(
    'postgres',
    isThere
      ? { url: postgres.url, ca: postgres.ca, missing: null }
      : { url: '', ca: null, missing: postgres },
  )
  project.provide('sandboxCache', cache)
  project.provide('sandboxNotes', notes)
  project.provide('anvil', binary)
  return async () => {
    if (isThere) await postgres.stop()
    for (const left of allProcesses())
      if (left.command.includes(` --config-out ${notes}`)) await endProcess(left)
    rmSync(notes, { recursive: true, force: true })
  }
}
