import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateDirectory } from './private-directory.ts'
import { isDatabaseBusy, storeFault } from './sql/sqlite.ts'

/** A held lock. The operating system releases it when the process dies in any way. */
export type Lock = { release: () => void }

/** Takes the exclusive lock of a file; `undefined` if another process holds it. */
export function tryLock(path: string): Lock | undefined {
  let db: DatabaseSync | undefined
  try {
    privateDirectory(dirname(path))
    closeSync(openSync(path, 'a', 0o600))
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (isDatabaseBusy(error)) return undefined
    throw storeFault(error, path)
  }
  const held = db
  let open = true
  return {
    release: () => {
      if (open) held.close()
      open = false
    },
  }
}

/** The same, waiting up to `waitMs`. */
export async function acquireLock(
  path: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Lock | undefined> {
  const until = performance.now() + waitMs
  for (;;) {
    const lock = tryLock(path)
    if (lock || performance.now() >= until) return lock
    await sleep(25, undefined, signal ? { signal } : {})
  }
}
