import { AppError, type ErrorCode } from '../domain/errors.ts'

/** The error for one field of a request: `path` names it, and `message` says what is wrong with it, also as `text` unless that says more. */
export const fieldError = (
  path: string,
  message: string,
  { text = `${path} ${message}`, code = 'VALIDATION_ERROR' }: { text?: string; code?: ErrorCode } = {},
): AppError => new AppError(code, text, { details: { errors: [{ path, message }] } })
