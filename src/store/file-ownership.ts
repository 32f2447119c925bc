import { lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../domain/errors.ts'
import { shellPath } from '../domain/text/shell-quoting.ts'
import { storeFault } from './sql/sqlite.ts'

const refused = (path: string, why: string, hint: string): AppError =>
  new AppError('STATE_UNUSABLE', `${path} cannot be used: ${why}`, { details: { path }, next: hint })

/** The file status of a path, without following links; `undefined` if it does not exist. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw storeFault(error, path)
  }
}

/**
 * Refuses a file or its directory that belongs to another user, is readable by others, or is a link, since it holds signed bytes. A
 * missing one is created private.
 */
export function refuseSharedFile(file: string): void {
  if (file === ':memory:' || process.getuid === undefined) return
  for (const [path, mode] of [
    [dirname(file), '700'],
    [file, '600'],
  ] as const) {
    const found = statusOf(path)
    if (!found) continue
    if (found.isSymbolicLink())
      throw refused(path, 'it is a link', 'Replace the link by the directory, or set SLUICE_HOME.')
    if (found.uid !== process.getuid())
      throw refused(path, 'it belongs to another user', 'Set SLUICE_HOME to a directory of yours.')
    if ((found.mode & 0o077) !== 0)
      throw refused(path, 'others can read it', `chmod ${mode} ${shellPath(path)}`)
  }
}
