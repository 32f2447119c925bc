import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { listFileCommand, shellPath } from '../domain/text/shell-quoting.ts'
import { parsePrivateKey } from './keystore/private-key.ts'

const refused = (path: string, why: string, hint: string, cause?: unknown): AppError =>
  new AppError('KEY_SOURCE', `${path} is not used as a key: ${why}`, { cause, hint })

const another = 'Name a file that holds the secret and nothing else.'

/** The user id of this process; `undefined` on systems without user ids, where ownership is not checked. */
const ownUid = (): number | undefined => process.getuid?.()

function checkOwner(path: string, { uid, mode }: Stats, withMode: boolean): void {
  const mine = ownUid()
  if (mine === undefined) return
  if (uid !== mine)
    throw refused(path, 'it belongs to another user', 'Name a file of your own that nobody else can read.')
  if (withMode && (mode & 0o077) !== 0)
    throw refused(
      path,
      `others can read it (mode ${(mode & 0o777).toString(8)}, and 600 is needed)`,
      `The file must be yours alone: chmod 600 ${shellPath(path)}`,
    )
}

/**
 * Reads a secret from a small file that belongs to the user and that nobody else can read; a link must belong to the user too.
 * KEY_SOURCE otherwise.
 */
export function readPrivateFile(path: string, maxBytes = 4_096): string {
  let file: number | undefined
  try {
    checkOwner(path, lstatSync(path), false)
    file = openSync(path, 'r')
    const stats = fstatSync(file)
    if (!stats.isFile()) throw refused(path, 'it is not a file', another)
    checkOwner(path, stats, true)
    if (stats.size > maxBytes) throw refused(path, 'it is too large', another)
    const buffer = Buffer.alloc(maxBytes)
    const text = buffer.toString('utf8', 0, readSync(file, buffer))
    buffer.fill(0)
    return text
  } catch (error) {
    if (error instanceof AppError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw refused(path, 'it does not exist', listFileCommand(path), error)
    throw refused(path, 'it cannot be read', 'See that you may read it, and every directory above it.', error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The private key in a file that contains only 32 bytes in hex. */
export const readKeyFile = (path: string): Hex => parsePrivateKey(readPrivateFile(path))

/** The password in a file, without the line break at its end. */
export const readPasswordFile = (path: string): string => readPrivateFile(path).replace(/\r?\n$/, '')
