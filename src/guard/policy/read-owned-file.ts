import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { AppError } from '../../domain/errors.ts'
import { listFileCommand, shellPath } from '../../domain/text/shell-quoting.ts'

const refused = (path: string, why: string, cause?: unknown): AppError =>
  new AppError('CONFIG_INVALID', `The policy ${path} is not used: ${why}`, {
    cause,
    details: { policy: path },
    hint: `Let only its owner write it: chmod go-w ${shellPath(path)}`,
  })

function checkOwner(path: string, { uid, mode }: Stats, withMode: boolean): void {
  const mine = process.getuid?.()
  // Without user ids, ownership is not checked.
  if (mine === undefined) return
  if (uid !== mine) throw refused(path, 'it belongs to another user')
  if (withMode && (mode & 0o022) !== 0)
    throw refused(path, `others can change it (mode ${(mode & 0o777).toString(8)})`)
}

/**
 * Reads a file that belongs to the user and that nobody else can write; a link must belong to the user too. CONFIG_INVALID
 * otherwise. A missing file is `undefined` if it `mayBeMissing`.
 */
export function readOwnFile(path: string, mayBeMissing: boolean, maxBytes = 1 << 20): string | undefined {
  let file: number | undefined
  try {
    checkOwner(path, lstatSync(path), false)
    file = openSync(path, 'r')
    const stats = fstatSync(file)
    if (!stats.isFile()) throw refused(path, 'it is not a file')
    checkOwner(path, stats, true)
    if (stats.size > maxBytes) throw refused(path, 'it is too large')
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof AppError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw refused(path, 'it cannot be read', error)
    if (mayBeMissing && file === undefined && !isThere(path)) return undefined
    throw new AppError('CONFIG_INVALID', `There is no policy ${path}`, {
      cause: error,
      details: { policy: path },
      hint: listFileCommand(path),
    })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether a path exists, including a dangling link. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
