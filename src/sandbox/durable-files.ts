import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../domain/errors.ts'

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'something else is in its place',
  ENOTDIR: 'something else is in its place',
  EISDIR: 'something else is in its place',
  ENAMETOOLONG: 'its name is too long',
}

/** A fault of the disk as STATE_UNUSABLE; what is not one comes back as it is. */
export function diskFault(error: unknown, path: string): unknown {
  const code = String((error as { code?: unknown }).code)
  const why = reasons[code]
  if (!why || error instanceof AppError) return error
  return new AppError('STATE_UNUSABLE', `${path} cannot be used: ${why}`, { cause: error, details: { path } })
}

/** Makes a directory that only its owner can look into. */
export function privateDirectory(path: string): void {
  try {
    makeMissing(path)
    if (!statSync(path).isDirectory())
      throw new AppError('STATE_UNUSABLE', `${path} cannot be used: something else is in its place`)
  } catch (cause) {
    const fault = diskFault(cause, path)
    if (fault instanceof AppError) throw fault
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'it cannot be made there' : message
    throw new AppError('STATE_UNUSABLE', `${path} cannot be used: ${why}`, { cause, details: { path } })
  }
}

/** One directory after the other: the recursive way of Node never ends where a file system answers that the parent is missing. */
function makeMissing(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeMissing(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Writes a file and has it on the disk before returning. */
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

/** Puts a file in place at once: a reader sees the old one or the new one, also after a crash. */
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

/** Renames and has the new name on the disk before returning. */
export function moveDurable(from: string, to: string): void {
  renameSync(from, to)
  const fd = openSync(dirname(to), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
