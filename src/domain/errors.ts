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
  details?: Record<string, unknown>
  cause?: unknown
  next?: Advice | RpcAdvice
  nothing?: Undone
  isQuote?: boolean
  /** What else is known, as the end of the sentence or as sentences of their own. */
  besides?: string
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

  /** The message without what else is known, and without the sentence that nothing was done. */
  readonly brief: string
  readonly besides: string
  /** What did not happen, as the last sentence of the message says. */
  readonly nothing: Undone | undefined

  /** Whether the message is the words of a service, which are shown as a quote. */
  readonly isQuote: boolean

  constructor(
    code: ErrorCode,
    message: string,
    { details, cause, next, nothing, isQuote = false, besides = '' }: ErrorParts = {},
  ) {
    super(
      `${message}${besides}${nothing === undefined ? '' : `. Nothing was ${nothing}.`}`,
      cause === undefined ? {} : { cause },
    )
    this.brief = message
    this.besides = besides
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

  /** The same error with other words, more details or other next steps; this one is its cause. */
  with(change: Omit<ErrorParts, 'cause'> & { message?: string }): AppError {
    const { code, brief, nothing, details, next } = this
    const given = change.next ?? this.#advised ?? next
    const done = change.nothing ?? nothing
    return new AppError(code, change.message ?? brief, {
      cause: this,
      besides: change.besides ?? (change.message === undefined ? this.besides : ''),
      isQuote: change.isQuote ?? (this.isQuote && (change.message ?? change.besides) === undefined),
      ...((change.details ?? details) && { details: { ...details, ...change.details } }),
      ...(given !== undefined && { next: given }),
      ...(done !== undefined && { nothing: done }),
    })
  }
}
