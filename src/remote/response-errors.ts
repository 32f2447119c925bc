import { fromEnvelope } from '../api/error-envelope.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { retryAfterMs } from '../http/backoff.ts'
import type { HttpAnswer, HttpFault } from '../http/client.ts'
import { rateLimitedError } from './rate-limiter.ts'

/** The longest wait that a service is believed: the longest window of its limits. */
const mostWaitMs = 3_600_000

/** The wait after a limit that says nothing of it: the shortest window of limits. */
export const unsaidWaitMs = 60_000

/** How long an answer asks us to wait, in ms: its `Retry-After`, counted from its own date, or `retryAfter` in its body. */
export function askedWaitMs({ headers, body }: HttpAnswer, now: number): number | undefined {
  const theirs = Date.parse(headers.date ?? '')
  const said = retryAfterMs(headers['retry-after'], Number.isNaN(theirs) ? now : theirs, mostWaitMs)
  if (said !== undefined) return said
  const { details } = fromEnvelope(429, body)
  const seconds = details?.retryAfter ?? details?.retryAfterSeconds
  return typeof seconds === 'number' || typeof seconds === 'string'
    ? retryAfterMs(String(seconds), now, mostWaitMs)
    : undefined
}

/**
 * What a status that is no success says: the service's own error. Anything from 500 on is the service's fault, whatever it
 * calls it; 429 says how long to wait, and 422 what is wrong where.
 */
export function refusal(answer: HttpAnswer, now: number): AppError {
  const { status, body } = answer
  const said = fromEnvelope(status, body)
  if (status === 429) {
    const seconds = Math.ceil((askedWaitMs(answer, now) ?? unsaidWaitMs) / 1000)
    return rateLimitedError(seconds, said.message, said.details)
  }
  const details = { ...said.details, ...(said.code !== 'UNAUTHORIZED' && { code: said.code }) }
  // The key was read and is known: to set it is not what helps.
  if (status === 403 && said.code === 'UNAUTHORIZED')
    return new AppError('UNAUTHORIZED', saidBeside(body) ?? said.message, {
      details: said.details ?? {},
      hint: notAllowed,
    })
  if (status === 401) return new AppError('UNAUTHORIZED', said.message, { details })
  if (status >= 500 && errorRow(said.code).exit !== 6)
    return withWait(new AppError('INTERNAL_SERVER_ERROR', said.message, { details }), answer, now)
  if (status === 503) return withWait(said, answer, now)
  return status === 422 ? withPlaces(said) : said
}

/** A failure of a service that says when it will be back. */
function withWait(error: AppError, answer: HttpAnswer, now: number): AppError {
  const asked = answer.status === 503 ? askedWaitMs(answer, now) : undefined
  if (asked === undefined) return error
  const seconds = Math.ceil(asked / 1000)
  return new AppError(error.code, error.message, {
    details: { ...error.details, retryAfterSeconds: seconds },
    hint: `Wait ${seconds} s, then try again.`,
  })
}

const notAllowed = 'Ask the operator of the service what this API key may do.'

/** What is said of a refusal outside the envelope of the service, as things that stand before it do. */
function saidBeside(body: unknown): string | undefined {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown }
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  return [inner, message].find((one): one is string => typeof one === 'string' && one !== '')
}

/** A 422 whose message alone says where it is wrong. */
function withPlaces(error: AppError): AppError {
  const { errors } = error.details ?? {}
  if (!Array.isArray(errors)) return error
  const places = errors.slice(0, 5).flatMap((one: unknown) => {
    const { path, message } = (one ?? {}) as { path?: unknown; message?: unknown }
    if (typeof message !== 'string' || error.message.includes(message)) return []
    return [`${Array.isArray(path) ? path.join('.') : String(path ?? '')}: ${message}`]
  })
  if (places.length === 0) return error
  return new AppError(error.code, `${error.message} (${places.join('; ')})`, {
    ...(error.details && { details: error.details }),
  })
}

/** What to do about an answer that is not one of this service. */
export const seeTheAnswer =
  'See where SLUICE_BASE_URL points; commands that only look print the answer as it came with --raw.'

const steps: { [kind in HttpFault]?: string } = {
  redirect: 'Set SLUICE_BASE_URL to where the service itself answers: a key does not follow a redirect.',
  certificate:
    'Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem. If it is for another host or has expired, the service must mend it; see also the clock here.',
  'not-json': seeTheAnswer,
  'too-large': seeTheAnswer,
  'too-deep': seeTheAnswer,
  encoded: seeTheAnswer,
}

/** An error of an exchange with the next step of its fault, where that is a better one than the table's. */
export function withNextStep(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const hint = steps[error.details?.fault as HttpFault]
  if (hint === undefined) return error
  const { code, message, details, cause } = error
  return new AppError(code, message, { hint, cause, ...(details && { details }) })
}

/** What to do where an address leads to a service, and not to its pages. */
const seeTheAddress = 'See where SLUICE_BASE_URL points, and mend its path: sluice config list --show-origin'

/**
 * What is not there, with the next step that its place deserves: a page that names nothing in its path can only be missing itself,
 * and one that does is where the answer says so, or is none of the service. What was looked for on a page that is there stays as it is.
 */
export function withMissingPage(error: AppError, { path }: { path: string }): AppError {
  const { code, message, details, cause } = error
  if (code !== 'NOT_FOUND' || details?.code !== undefined) return error
  if (path.includes('{') && !/^(There is no endpoint|The service answered) /.test(message)) return error
  return new AppError(code, message, { hint: seeTheAddress, cause, ...(details && { details }) })
}
