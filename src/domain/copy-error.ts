import { AppError } from './errors.ts'

/** Copies an error with another message, details or hint; the original is its cause. */
export function copyErrorWith(
  error: AppError,
  change: { message?: string; details?: Record<string, unknown>; hint?: string },
): AppError {
  const { code, message, details, hint } = error
  return new AppError(code, change.message ?? message, {
    cause: error,
    ...((change.details ?? details) && { details: { ...details, ...change.details } }),
    ...((change.hint ?? hint) !== undefined && { hint: change.hint ?? hint! }),
  })
}
