import { AppError, type ErrorCode } from '../domain/errors.ts'

/**
 * Creates the error for one field of a request. `path` names the field, `message` describes the problem; `text` is a
 * longer message, if given.
 */
export const fieldError = (
  path: string,
  message: string,
  { text = `${path} ${message}`, code = 'VALIDATION_ERROR' }: { text?: string; code?: ErrorCode } = {},
): AppError => new AppError(code, text, { details: { errors: [{ path, message }] } })
