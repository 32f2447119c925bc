import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../protocols/catalog-types.ts'
import { diskFault } from '../store/disk-fault.ts'
import { decodeCatalog, encodeCatalog } from './catalog-json.ts'
import { writeAtomic } from './durable-files.ts'

/** Where the files of a sandbox are, under a data directory. */
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

/** What a running daemon leaves for others to find it. */
export type DaemonRecord = {
  pid: number
  controlUrl: string
  /** Needed for every control call; the file is readable only by its owner. */
  token: string
  catalog: Catalog
  /** The genesis that its world began from. */
  genesis?: string | undefined
}

/** The record of the last daemon; `undefined` when it ended properly, or there was none. */
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
    return undefined // Not a record of ours: whoever holds the lock decides what runs here.
  }
}

/** Leaves the record, readable only by its owner. */
export const writeRecord = (path: string, record: DaemonRecord): void =>
  writeAtomic(path, JSON.stringify({ ...record, catalog: encodeCatalog(record.catalog) }))

/** Takes the record away. */
export const dropRecord = (path: string): void => rmSync(path, { force: true })
