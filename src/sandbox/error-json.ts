import { AppError, isErrorCode } from '../domain/errors.ts'

/** An AppError as it travels from the daemon to a command. */
export type ErrorWire = { code: string; message: string; details?: Record<string, unknown>; hint?: string }

/** An error as JSON; one that is no AppError is a BUG. */
export const errorWire = (error: unknown): ErrorWire => {
  if (!(error instanceof AppError)) return { code: 'BUG', message: String(error) }
  const { code, message, details, hint } = error
  return { code, message, ...(details ? { details } : {}), ...(hint ? { hint } : {}) }
}

/** The AppError from its JSON. */
export const fromWire = ({ code, message, details, hint }: ErrorWire): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details ? { details } : {}),
    ...(hint ? { hint } : {}),
  })
