import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../domain/errors.ts'
import { diskFault } from './disk-fault.ts'

/** Creates a directory that only its owner can enter; STATE_UNUSABLE if that fails. */
export function privateDirectory(path: string): void {
  try {
    makeMissing(path)
    if (!statSync(path).isDirectory())
      throw new AppError('STATE_UNUSABLE', `${path} cannot be used: another file is in its place`)
  } catch (cause) {
    const fault = diskFault(cause, path)
    if (fault instanceof AppError) throw fault
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'it cannot be created there' : message
    throw new AppError('STATE_UNUSABLE', `${path} cannot be used: ${why}`, { cause, details: { path } })
  }
}

/** Creates missing directories one by one: Node's recursive variant never ends on some file systems. */
function makeMissing(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeMissing(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
