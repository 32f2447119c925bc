import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { diskFault } from '../store/disk-fault.ts'

/** Writes a file and flushes it to disk before returning. */
export function writeDurable(path: string, data: string | Uint8Array): void {
  try {
    const fd = openSync(path, 'w', 0o600)
    try {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw diskFault(error, path)
  }
}

/** Replaces a file atomically: a reader sees the old one or the new one, even after a crash. */
export function writeAtomic(path: string, data: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeDurable(temporary, data)
    moveDurable(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw diskFault(error, path)
  }
}

/** Renames a file and flushes the new name to disk before returning. */
export function moveDurable(from: string, to: string): void {
  renameSync(from, to)
  const fd = openSync(dirname(to), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
