import { AppError, isErrorCode } from '../domain/errors.ts'

/** An AppError as JSON, from the daemon to a command. */
export type ErrorWire = { code: string; message: string; details?: Record<string, unknown>; hint?: string }

/** Converts an error to JSON; anything but an AppError becomes a BUG. */
export const errorWire = (error: unknown): ErrorWire => {
  if (!(error instanceof AppError)) return { code: 'BUG', message: String(error) }
  const { code, message, details, hint } = error
  return { code, message, ...(details ? { details } : {}), ...(hint ? { hint } : {}) }
}

/** Restores the AppError from its JSON. */
export const errorFromWire = ({ code, message, details, hint }: ErrorWire): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details ? { details } : {}),
    ...(hint ? { hint } : {}),
  })
