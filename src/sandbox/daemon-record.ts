import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../protocols/catalog-types.ts'
import { diskFault } from '../store/disk-fault.ts'
import { writeAtomic } from '../store/durable-files.ts'
import { decodeCatalog, encodeCatalog } from './catalog-json.ts'

/** Returns the paths of a sandbox's files under a data directory. */
export const sandboxFiles = (dataDir: string) => {
  const dir = join(dataDir, 'sandbox')
  return {
    dir,
    worlds: join(dir, 'worlds'),
    lock: join(dir, 'lock'),
    record: join(dir, 'daemon.json'),
    log: join(dir, 'daemon.log'),
  }
}

/** The record by which other processes find a running daemon. */
export type DaemonRecord = {
  pid: number
  controlUrl: string
  /** Required by every control call; only the owner can read the file. */
  token: string
  catalog: Catalog
  /** The genesis of its world. */
  genesis?: string | undefined
}

/** Reads the record of the last daemon; `undefined` if there is none, or it ended properly. */
export function readRecord(path: string): DaemonRecord | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT') return undefined
    throw diskFault(error, path)
  }
  try {
    const written = JSON.parse(text)
    return { ...written, catalog: decodeCatalog(written.catalog) }
  } catch {
    return undefined // Not a valid record: the lock decides which daemon runs here.
  }
}

/** Writes the record, readable only by its owner. */
export const writeRecord = (path: string, record: DaemonRecord): void =>
  writeAtomic(path, JSON.stringify({ ...record, catalog: encodeCatalog(record.catalog) }))

/** Deletes the record. */
export const dropRecord = (path: string): void => rmSync(path, { force: true })
