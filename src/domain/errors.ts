import { type ErrorRow, errorTable } from './error-table.ts'

/** The name of a row of the table. */
export type ErrorCode = keyof typeof errorTable

/** Whether a word is a code of the table. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

/** What a code means, with the optional columns readable. */
export const errorRow = (code: ErrorCode): ErrorRow => errorTable[code]

/** Whether a code says that nothing of its operation was ever signed. That a key stands for another request is said of the new one. */
export const saysUnsigned = (code: ErrorCode): boolean =>
  (errorRow(code).exit < 20 && code !== 'IDEMPOTENCY_KEY_REUSED') || code === 'INTERRUPTED'

/** More about a failure: structured context, the cause, and a next step better than the table's. */
type Because = { details?: Record<string, unknown>; cause?: unknown; hint?: string }

/** The cause of an error whose message is what a service said, in its own words: people see it as a quote. */
export const wordsOfService = Symbol('the words of the service')

/** The one error class. Its code decides the exit code, the HTTP status and the default hint. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, { details, cause, hint }: Because = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.details = details
    this.hint = hint ?? errorRow(code).hint
  }
}

/** The same error with another message, details or hint; the original is its cause. */
export function changedError(
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

/**
 * Whether the same request may succeed when it is made again: what its code says, but for what stays as it is – an answer that is not
 * one of this service, and a certificate that is not trusted.
 */
export const isWorthAgain = ({ code, details }: Pick<AppError, 'code' | 'details'>): boolean =>
  errorRow(code).retryable === true && code !== 'SERVICE_BAD_RESPONSE' && details?.fault !== 'certificate'
