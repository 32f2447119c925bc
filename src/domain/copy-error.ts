import { AppError } from './errors.ts'
import type { Advice } from './text/next-step.ts'

/** Copies an error with another message, details or next steps; the original is its cause. */
export function copyErrorWith(
  error: AppError,
  change: { message?: string; details?: Record<string, unknown>; next?: Advice },
): AppError {
  const { code, message, details, next } = error
  return new AppError(code, change.message ?? message, {
    cause: error,
    ...((change.details ?? details) && { details: { ...details, ...change.details } }),
    ...((change.next ?? next) !== undefined && { next: change.next ?? next! }),
  })
}
