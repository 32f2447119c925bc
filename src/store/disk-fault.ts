import { AppError } from '../domain/errors.ts'

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'another file is in its place',
  ENOTDIR: 'another file is in its place',
  EISDIR: 'another file is in its place',
  ENAMETOOLONG: 'its name is too long',
}

/** Converts a disk error to STATE_UNUSABLE. Other errors are returned unchanged. */
export function diskFault(error: unknown, path: string): unknown {
  const why = reasons[String((error as { code?: unknown }).code)]
  if (!why || error instanceof AppError) return error
  return new AppError('STATE_UNUSABLE', `${path} cannot be used: ${why}`, { cause: error, details: { path } })
}
