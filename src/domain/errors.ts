import { type ErrorRow, errorTable, type RpcAdvice, worded } from './error-table.ts'
import { refusalAdvice } from './refusal-meanings.ts'
import { type Advice, adviceText, type Next, partsOf, withId } from './text/next-step.ts'

/** The name of a row of the table. */
export type ErrorCode = keyof typeof errorTable

/** Whether a word is a code of the table. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

export const errorRow = (code: ErrorCode): ErrorRow => errorTable[code]

/**
 * Whether a code implies that the operation signed nothing. IDEMPOTENCY_KEY_REUSED is about the new request, not the
 * operation.
 */
export const impliesUnsigned = (code: ErrorCode): boolean =>
  (errorRow(code).exit < 20 && code !== 'IDEMPOTENCY_KEY_REUSED') || code === 'INTERRUPTED'

/** Whether an error has the next steps of its code. */
export const hasDefaultAdvice = ({ code, hint, details }: AppError): boolean =>
  hint === adviceText(adviceOf(code, details) ?? '')

/** The next steps of a code, for the network that the details name. */
export const adviceOf = (code: ErrorCode, details?: Record<string, unknown>): Advice | undefined =>
  worded(errorRow(code).next, details?.network)

/** What a failed command did not do. */
type Undone = 'signed' | 'sent' | 'saved' | 'written'

type ErrorParts = {
  details?: Record<string, unknown> | undefined
  cause?: unknown
  next?: Advice | RpcAdvice | undefined
  nothing?: Undone | undefined
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
  readonly #advised: RpcAdvice | undefined

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
      `${message}${nothing === undefined ? '' : `. Nothing was ${nothing}.`}`,
      cause === undefined ? {} : { cause },
    )
    this.brief = message
    this.nothing = nothing
    this.isQuote = isQuote
    this.code = code
    this.details = details
    const id = details?.operation ?? details?.id
    const advised = next ?? refusalAdvice(details) ?? errorRow(code).next
    if (typeof advised === 'function') this.#advised = advised
    const given = worded(advised, details?.network)
    const named =
      next === undefined && given !== undefined && typeof id === 'string' && id !== ''
        ? withId(given, id)
        : given
    this.next = named === undefined ? undefined : partsOf(named)
    this.hint = named === undefined ? undefined : adviceText(named)
  }

  /**
   * The same error with more details or other next steps; this one is its cause. A message is never edited: who knows more makes a new
   * error, with this one as its cause.
   */
  with({
    details,
    next,
    isQuote = this.isQuote,
  }: Pick<ErrorParts, 'details' | 'next' | 'isQuote'>): AppError {
    return new AppError(this.code, this.brief, {
      cause: this,
      details: (details ?? this.details) && { ...this.details, ...details },
      next: next ?? this.#advised ?? this.next,
      nothing: this.nothing,
      isQuote,
    })
  }
}
