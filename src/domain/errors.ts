import { type ErrorRow, errorTable } from './error-table.ts'
import { refusalAdvice } from './refusal-meanings.ts'
import { type Advice, adviceText, type Next, partsOf, withId } from './text/next-step.ts'

/** The name of a row of the table. */
export type ErrorCode = keyof typeof errorTable

/** Whether a word is a code of the table. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

/** Returns the row of a code. */
export const errorRow = (code: ErrorCode): ErrorRow => errorTable[code]

/**
 * Whether a code implies that the operation signed nothing. IDEMPOTENCY_KEY_REUSED is about the new request, not the
 * operation.
 */
export const impliesUnsigned = (code: ErrorCode): boolean =>
  (errorRow(code).exit < 20 && code !== 'IDEMPOTENCY_KEY_REUSED') || code === 'INTERRUPTED'

/** Whether an error has the next steps of its code. */
export const hasDefaultAdvice = ({ code, hint }: AppError): boolean =>
  hint === adviceText(errorRow(code).next ?? '')

/** What a failed command did not do. */
type Undone = 'signed' | 'sent' | 'saved' | 'written'

type ErrorParts = {
  details?: Record<string, unknown>
  cause?: unknown
  next?: Advice
  nothing?: Undone
  isQuote?: boolean
}

/**
 * The only error class. Its code decides the exit code, the HTTP status and the default hint, unless the structured
 * `details` name a service's refusal; `next` replaces it. The operation that the details name is put into the default hint.
 */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  /** What to do next: words and commands. `hint` is the same as one text. */
  readonly next: readonly (string | Next)[] | undefined
  readonly hint: string | undefined

  /** The message without the sentence that nothing was done. */
  readonly brief: string
  /** What did not happen, as the last sentence of the message says. */
  readonly nothing: Undone | undefined

  /** Whether the message is the words of a service, which are shown as a quote. */
  readonly isQuote: boolean

  constructor(
    code: ErrorCode,
    message: string,
    { details, cause, next, nothing, isQuote = false }: ErrorParts = {},
  ) {
    super(
      nothing === undefined ? message : `${message}. Nothing was ${nothing}.`,
      cause === undefined ? {} : { cause },
    )
    this.brief = message
    this.nothing = nothing
    this.isQuote = isQuote
    this.code = code
    this.details = details
    const id = details?.operation ?? details?.id
    const given = next ?? refusalAdvice(details) ?? errorRow(code).next
    const named =
      next === undefined && given !== undefined && typeof id === 'string' && id !== ''
        ? withId(given, id)
        : given
    this.next = named === undefined ? undefined : partsOf(named)
    this.hint = named === undefined ? undefined : adviceText(named)
  }

  /** The same error with other words, more details or other next steps; this one is its cause. */
  with(change: Omit<ErrorParts, 'cause'> & { message?: string }): AppError {
    const { code, brief, nothing, details, next } = this
    const given = change.next ?? next
    const done = change.nothing ?? nothing
    return new AppError(code, change.message ?? brief, {
      cause: this,
      isQuote: change.isQuote ?? (this.isQuote && change.message === undefined),
      ...((change.details ?? details) && { details: { ...details, ...change.details } }),
      ...(given !== undefined && { next: given }),
      ...(done !== undefined && { nothing: done }),
    })
  }
}
