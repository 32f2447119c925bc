import { AppError, isErrorCode } from '../domain/errors.ts'
import type { Advice } from '../domain/text/next-step.ts'

/** An AppError as JSON, from the daemon to a command. */
export type ErrorWire = { code: string; message: string; details?: Record<string, unknown>; next?: Advice }

/** Converts an error to JSON; anything but an AppError becomes a BUG. */
export const errorWire = (error: unknown): ErrorWire => {
  if (!(error instanceof AppError)) return { code: 'BUG', message: String(error) }
  const { code, message, details, next } = error
  return { code, message, ...(details ? { details } : {}), ...(next ? { next } : {}) }
}

/** Restores the AppError from its JSON. */
export const errorFromWire = ({ code, message, details, next }: ErrorWire): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details ? { details } : {}),
    ...(next ? { next } : {}),
  })
