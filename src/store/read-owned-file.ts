import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { AppError } from '../domain/errors.ts'

/** Why a file is not read. `mode` is the octal text of a mode that gives others too much. */
export type OwnedFileFault =
  | { is: 'foreign' | 'special' | 'too-large' }
  | { is: 'shared'; mode: string }
  | { is: 'unreadable'; cause: unknown }

/** What a file must fulfil: the mode bits that no other user may have, its largest size, and the error of a fault. */
type Limits = {
  forbiddenMode: number
  maxBytes: number
  refused: (fault: OwnedFileFault) => AppError
}

/**
 * Reads a file that belongs to the user and that others cannot change or read, by `forbiddenMode`; a link must belong to the user too.
 * `undefined` if it does not exist. Systems without user ids have no owner to check.
 */
export function readOwnedFile(
  path: string,
  { forbiddenMode, maxBytes, refused }: Limits,
): string | undefined {
  const own = process.getuid?.()
  const refuseForeign = ({ uid }: Stats) => {
    if (own !== undefined && uid !== own) throw refused({ is: 'foreign' })
  }
  let file: number | undefined
  try {
    refuseForeign(lstatSync(path))
    file = openSync(path, 'r')
    const stats = fstatSync(file)
    if (!stats.isFile()) throw refused({ is: 'special' })
    refuseForeign(stats)
    if (own !== undefined && (stats.mode & forbiddenMode) !== 0)
      throw refused({ is: 'shared', mode: (stats.mode & 0o777).toString(8) })
    if (stats.size > maxBytes) throw refused({ is: 'too-large' })
    const buffer = Buffer.alloc(maxBytes)
    const text = buffer.toString('utf8', 0, readSync(file, buffer))
    // It may be a secret.
    buffer.fill(0)
    return text
  } catch (error) {
    if (error instanceof AppError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw refused({ is: 'unreadable', cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
