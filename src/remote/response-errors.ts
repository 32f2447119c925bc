import { ErrorEnvelope, fromEnvelope } from '../api/error-envelope.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { type Advice, advice, sameWith, sluice } from '../domain/text/next-step.ts'
import { spanText } from '../domain/text/time-spans.ts'
import { retryAfterMs } from '../http/backoff.ts'
import { type HttpAnswer, type HttpFault, isGatewayPage } from '../http/client.ts'
import { rateLimitedError } from './rate-limiter.ts'

/** The longest wait that a service may request: the longest window of its limits. */
const mostWaitMs = 3_600_000

/** The wait for a rate limit that does not state one: the shortest window of limits. */
export const defaultWaitMs = 60_000

/** The wait that a response requests, in ms: `Retry-After`, relative to the response's own date, or `retryAfter` in its body. */
export function requestedWaitMs({ headers, body }: HttpAnswer, now: number): number | undefined {
  const serviceTime = Date.parse(headers.date ?? '')
  const wait = retryAfterMs(headers['retry-after'], Number.isNaN(serviceTime) ? now : serviceTime, mostWaitMs)
  if (wait !== undefined) return wait
  const { details } = fromEnvelope(429, body)
  const seconds = details?.retryAfter ?? details?.retryAfterSeconds
  return typeof seconds === 'number' || typeof seconds === 'string'
    ? retryAfterMs(String(seconds), now, mostWaitMs)
    : undefined
}

/**
 * Converts an error response to an AppError, the service's own error. Statuses from 500 are server errors, whatever their code, except 501: the service lacks the endpoint; 429
 * includes the wait, and 422 the invalid fields.
 */
export function responseError(answer: HttpAnswer, now: number): AppError {
  const { status, body } = answer
  const error = fromEnvelope(status, body, isGatewayPage(answer))
  if (status === 429) {
    const seconds = Math.ceil((requestedWaitMs(answer, now) ?? defaultWaitMs) / 1000)
    return rateLimitedError(seconds, error.message, error.details)
  }
  const details = { ...error.details, ...(error.code !== 'UNAUTHORIZED' && { code: error.code }) }
  // With status 403 the key is valid; setting another one does not help.
  if (status === 403 && error.code === 'UNAUTHORIZED')
    return new AppError('UNAUTHORIZED', messageOutsideEnvelope(body) ?? error.message, {
      details: error.details ?? {},
      next: notAllowed,
    })
  const outside = status === 404 ? messageOutsideEnvelope(body) : undefined
  if (outside !== undefined && outside !== error.message) return error.with({ details: { said: outside } })
  if (status === 401) return new AppError('UNAUTHORIZED', error.message, { details })
  if (status === 501) return new AppError('METHOD_NOT_ALLOWED', error.message, { details })
  if (status >= 500 && errorRow(error.code).exit !== 6)
    return withWait(new AppError('INTERNAL_SERVER_ERROR', error.message, { details }), answer, now)
  if (status === 503) return withWait(error, answer, now)
  return status === 422 ? withPlaces(error) : error
}

/** Adds the wait that a 503 response requests. */
function withWait(error: AppError, answer: HttpAnswer, now: number): AppError {
  const asked = answer.status === 503 ? requestedWaitMs(answer, now) : undefined
  if (asked === undefined) return error
  const seconds = Math.ceil(asked / 1000)
  return error.with({
    details: { retryAfterSeconds: seconds },
    next: `Wait ${spanText(1_000 * seconds, Math.ceil)}, then try again.`,
  })
}

const notAllowed = 'Ask the operator of the service for the permissions of this API key.'

/** The message of an error response outside the service's envelope, as proxies send it. */
function messageOutsideEnvelope(body: unknown): string | undefined {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown }
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  return [inner, message].find((one): one is string => typeof one === 'string' && one !== '')
}

/** The error of a 422 with its invalid fields, where the words of the service lack them. */
function withPlaces(error: AppError): AppError {
  const { errors } = error.details ?? {}
  if (!Array.isArray(errors)) return error
  const places = errors.slice(0, 5).flatMap((one: unknown) => {
    const { path, message } = (one ?? {}) as { path?: unknown; message?: unknown }
    if (typeof message !== 'string' || error.message.includes(message)) return []
    return [`${Array.isArray(path) ? path.join('.') : String(path ?? '')}: ${message}`]
  })
  if (places.length === 0) return error
  return new AppError(error.code, `${error.message} (${places.join('; ')})`, { details: error.details })
}

/** The hint for a response that is not from this service. */
export const badResponseHint = advice`Check SLUICE_BASE_URL. To print the response unchanged: ${sameWith({ '--raw': true }, '--json', '--jq', '--template', '--csv', '--fields')}`

const steps: { [kind in HttpFault]?: Advice } = {
  redirect: 'Set SLUICE_BASE_URL to the final URL of the service: the API key is never sent to a redirect.',
  certificate:
    'Set the certificate file of its authority: NODE_EXTRA_CA_CERTS=ca.pem. If it is for another host or has expired, the service must replace it; also check the clock of this machine.',
  proxy: 'Use a proxy that allows the host of SLUICE_BASE_URL, or exclude that host in NO_PROXY.',
  'not-json': badResponseHint,
  'too-large': badResponseHint,
  'too-deep': badResponseHint,
  encoded: badResponseHint,
}

/** Adds a hint for the error's fault, if it is more specific than the hint of the error table. */
export function withNextStep(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const hint = steps[error.details?.fault as HttpFault]
  if (hint === undefined) return error
  return error.with({ next: hint })
}

/** The hint for a base URL that reaches a service but not its endpoints. */
const seeTheAddress = advice`Check SLUICE_BASE_URL and correct its path: ${sluice('config list', { '--show-origin': true })}`

/**
 * Adds a hint to NOT_FOUND if the endpoint does not exist. A path without parameters can only be missing itself; with parameters, the
 * details must say so, or the body be of another server. If only the requested item does not exist, the error stays unchanged.
 */
export function withMissingPage(error: AppError, { body }: HttpAnswer, { path }: { path: string }): AppError {
  const { code, details } = error
  if (code !== 'NOT_FOUND' || details?.code !== undefined) return error
  const isOfService = ErrorEnvelope.safeParse(body).success
  if (path.includes('{') && isOfService && details?.endpoint === undefined) return error
  return error.with({ next: seeTheAddress })
}
