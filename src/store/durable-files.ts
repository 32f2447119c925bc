import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { diskFault } from './disk-fault.ts'

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
  moveFile(from, to)
  flushDirectory(dirname(to))
}

/** Waits between the attempts of a rename on Windows, in ms; 2 s in all. */
const renameWaits = [5, 10, 20, 40, 75, 150, 300, 600, 800]

/** Renames a file. Windows refuses that while a virus scanner or another process has one of the two open, so there it is tried for 2 s. */
export function moveFile(from: string, to: string): void {
  const waits = process.platform === 'win32' ? renameWaits : []
  for (const wait of waits) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (!isOneOf(error, ['EPERM', 'EACCES', 'EBUSY'])) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait)
    }
  }
  renameSync(from, to)
}

/**
 * Gives a finished draft its name and flushes it to disk; an existing file of that name is EEXIST. The draft is removed. A file system without hard
 * links, such as exFAT or a share of another machine, gets a copy.
 */
export function addDurable(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!isOneOf(error, ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EIO', 'EMLINK'])) throw error
    copyFileSync(draft, path, constants.COPYFILE_EXCL)
    const fd = openSync(path, 'r+')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }
  flushDirectory(dirname(path))
  try {
    rmSync(draft, { force: true })
  } catch {
    // The file has its name. What is left of the draft has the same content and is ignored.
  }
}

/** Flushes the names in a directory to disk. Windows and some network file systems refuse that; there the system writes them when it likes. */
export function flushDirectory(path: string): void {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    fsyncSync(fd)
  } catch (error) {
    if (!isOneOf(error, ['EPERM', 'EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']))
      throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const isOneOf = (error: unknown, codes: readonly string[]): boolean =>
  codes.includes(String((error as NodeJS.ErrnoException).code))
