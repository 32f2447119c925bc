import { AppError, type ErrorCode } from '../domain/errors.ts'

const codeOf = (error: unknown): { code: string; errcode: number; message: string } => {
  const {
    code = '',
    errcode = 0,
    message = '',
  } = error as { code?: string; errcode?: number; message?: string }
  return { code: String(code), errcode: Number(errcode), message: String(message) }
}

/** Primary result codes of SQLite: https://sqlite.org/rescode.html */
const sqlite = {
  error: 1,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  perm: 3,
  notadb: 26,
}

/** Whether SQLite says that another process holds the database. */
export const isBusy = (error: unknown): boolean => {
  const primary = codeOf(error).errcode & 0xff
  return primary === sqlite.busy || primary === sqlite.locked
}

/**
 * What a fault of the disk means: full, read-only, forbidden or busy is STATE_UNUSABLE; a file that is not what it was
 * is `corrupt`, which for the journal is JOURNAL_UNREADABLE. Other errors come back as they are.
 */
export function storeFault(error: unknown, path: string, corrupt: ErrorCode = 'STATE_UNUSABLE'): unknown {
  if (error instanceof AppError) return error
  const { code, errcode, message } = codeOf(error)
  const because = (why: string, kind: ErrorCode = 'STATE_UNUSABLE') =>
    new AppError(kind, `${path} cannot be used: ${why}`, { cause: error, details: { path } })
  if (code === 'ENOSPC' || code === 'EDQUOT') return because('the disk is full')
  if (code === 'EROFS') return because('the file system is read-only')
  if (code === 'EACCES' || code === 'EPERM') return because('permission denied')
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR')
    return because('something else is in its place')
  if (code !== 'ERR_SQLITE_ERROR') return error
  switch (errcode & 0xff) {
    case sqlite.full:
      return because('the disk is full')
    case sqlite.readonly:
      return because('it is read-only')
    case sqlite.perm:
    case sqlite.cantopen:
      return because('it cannot be opened for reading and writing')
    case sqlite.ioerr:
      return because(`the disk does not work (${message})`)
    case sqlite.busy:
    case sqlite.locked:
      return because('another process holds it for too long')
    // Our own words about our own tables fail only where the tables are not what they were.
    case sqlite.error:
      return corrupt === 'STATE_UNUSABLE' ? error : because('it is damaged', corrupt)
    case sqlite.corrupt:
    case sqlite.notadb:
      return because('it is damaged', corrupt)
    default:
      return error
  }
}
