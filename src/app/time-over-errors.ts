import { elapsed } from '../cli/terminal/progress-display.ts'
import { AppError, errorRow, impliesUnsigned } from '../domain/errors.ts'
import { advice, bothAdvices, sameWith, sluice } from '../domain/text/next-step.ts'
import { spanText } from '../domain/text/time-spans.ts'
import { timeOverFault } from '../http/waits.ts'

/** What did not answer when the time was over; `isService` where it is no node of a chain. */
export type Unanswered = readonly { name: string; ms: number; isService: boolean }[]

/** The error that the limit was reached, with what did not answer. */
export function limitReachedError(limitMs: number, silent: Unanswered, cause?: AppError): AppError {
  const who = silent
    .slice(0, 3)
    .map(({ name, ms }) => `${name}${elapsed(ms) === '' ? '' : ` (${elapsed(ms)})`}`)
  const more = silent.length > 3 ? ` and ${silent.length - 3} more` : ''
  const what = who.length > 0 ? `: no answer from ${who.join(', ')}${more}` : ''
  return new AppError(
    silent[0]?.isService ? 'SERVICE_UNREACHABLE' : 'RPC_UNREACHABLE',
    `The time limit of ${inWords(limitMs)} was reached${what}`,
    {
      details: {
        ...cause?.details,
        fault: timeOverFault,
        timeoutMs: limitMs,
        unanswered: silent.map(({ name, ms }) => ({ name, waitedMs: Math.round(ms) })),
      },
      next: advice`To see what answers: ${sluice('doctor')}. ${moreTime(limitMs)}`,
      cause,
    },
  )
}

/** A failure after the limit as caused by it, where it was; others unchanged. */
export function explainedByTime(error: AppError, limitMs: number, silent: Unanswered): AppError {
  const { exit } = errorRow(error.code)
  const isCaused = (exit === 6 || exit === 7 || isWithoutQuote(error)) && error.code !== 'WRITE_UNCONFIRMED'
  if (!isCaused || !impliesUnsigned(error.code)) return error
  const over = limitReachedError(limitMs, silent, error)
  if (error.details?.fault === timeOverFault) return over
  // A failure that says more than who did not answer, such as that nothing was saved, keeps its words and its next steps.
  const isKept = exit === 6 || exit === 7
  return new AppError(
    isKept ? error.code : over.code,
    `The time limit of ${inWords(limitMs)} was reached. ${error.message}`,
    {
      details: over.details ?? {},
      next:
        isKept && error.next !== undefined ? bothAdvices(error.next, moreTime(limitMs)) : (over.next ?? ''),
      cause: error,
    },
  )
}

/** Whether no provider gave a quote, which they may not have had the time for. */
const isWithoutQuote = ({ code }: AppError): boolean =>
  ['NO_ROUTE_FOUND', 'QUOTE_GENERATION_FAILED', 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE'].includes(code)

const moreTime = (ms: number) => advice`Or allow more time: ${sameWith({ '--timeout': moreThan(ms) })}`

/** `1.5 s`, `30 s`, `5 minutes`. */
const inWords = (ms: number): string => (ms < 60_000 ? `${ms / 1000} s` : spanText(ms))

/** A limit of at least twice this time, as it is typed. */
const moreThan = (ms: number): string =>
  ['1m', '2m', '10m', '1h', '1d'].find((_, at) => [60, 120, 600, 3600, 86_400][at]! * 1000 >= 2 * ms) ?? '2d'
