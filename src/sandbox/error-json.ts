import { AppError, isErrorCode } from '../domain/errors.ts'

/** An AppError as it travels from the daemon to a command. */
export type ErrorWire = { code: string; message: string; details?: Record<string, unknown>; hint?: string }

/** What goes over the wire for an error; what is not an AppError is a BUG. */
export const errorWire = (error: unknown): ErrorWire => {
  if (!(error instanceof AppError)) return { code: 'BUG', message: String(error) }
  const { code, message, details, hint } = error
  return { code, message, ...(details ? { details } : {}), ...(hint ? { hint } : {}) }
}

/** The AppError that came over the wire. */
export const fromWire = ({ code, message, details, hint }: ErrorWire): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details ? { details } : {}),
    ...(hint ? { hint } : {}),
  })
