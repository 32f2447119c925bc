import { closeSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { AppError } from '../domain/errors.ts'
import { readOpenText } from './read-text-file.ts'

/** Why a file is not read. `mode` is the octal text of a mode that gives others too much. */
export type OwnedFileFault =
  | { is: 'foreign' | 'special' | 'too-large' }
  | { is: 'shared'; mode: string }
  | { is: 'not-text'; why: string }
  | { is: 'unreadable'; cause: unknown }

/** What a file must fulfil: the mode bits that no other user may have, its largest size, and the error of a fault. */
type Limits = {
  forbiddenMode: number
  maxBytes: number
  refused: (fault: OwnedFileFault) => AppError
}

const root = 0
/** The mode bit that lets the group of a file read it. */
const groupRead = 0o040
const anyWrite = 0o222

/**
 * Reads a text file that belongs to the user or to root and that others cannot change or read, by `forbiddenMode`; a link must belong to one
 * of them too. A pipe of the user, as `<(...)` makes one, is
 * read to its end. `undefined` if it does not exist. Systems without user ids have no owner to check.
 */
export function readOwnedFile(
  path: string,
  { forbiddenMode, maxBytes, refused }: Limits,
): string | undefined {
  const own = process.getuid?.()
  const refuse = (fault: OwnedFileFault | undefined) => {
    if (fault) throw refused(fault)
  }
  let file: number | undefined
  try {
    refuse(ownerFault(lstatSync(path), own))
    file = openSync(path, 'r')
    const stats = fstatSync(file)
    if (!stats.isFile() && !stats.isFIFO()) throw refused({ is: 'special' })
    refuse(ownerFault(stats, own) ?? modeFault(stats, own, forbiddenMode))
    const read = readOpenText(file, maxBytes)
    if (read === undefined) throw refused({ is: 'too-large' })
    if (read.fault !== undefined) throw refused({ is: 'not-text', why: read.fault })
    return read.text
  } catch (error) {
    if (error instanceof AppError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw refused({ is: 'unreadable', cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

type Owned = Pick<Stats, 'uid' | 'mode'>

/** Refuses a file or link that belongs neither to the user `own` nor to root. */
export function ownerFault({ uid }: Owned, own: number | undefined): OwnedFileFault | undefined {
  return own === undefined || uid === own || uid === root ? undefined : { is: 'foreign' }
}

/**
 * Refuses a file that gives others one of the mode bits `forbidden`. The group may read a file of root that the user `own` cannot write:
 * Kubernetes and Docker mount secrets so.
 */
export function modeFault(
  { uid, mode }: Owned,
  own: number | undefined,
  forbidden: number,
): OwnedFileFault | undefined {
  const isMounted = uid === root && (own !== root || (mode & anyWrite) === 0)
  return own !== undefined && (mode & forbidden & ~(isMounted ? groupRead : 0)) !== 0
    ? { is: 'shared', mode: (mode & 0o777).toString(8) }
    : undefined
}
