import { z } from 'zod'
import { invalidInputError } from '../api/error-envelope.ts'
import type { HttpRoute } from '../api/routes.ts'
import { draftHeader } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { exchangeJson, type HttpAnswer, hostOf } from '../http/client.ts'
import { newDispatcher } from '../http/dispatcher.ts'
import { createRedactor } from '../http/redaction.ts'
import { ambiguousName } from '../http/strict-json.ts'
import type { RateLimiter, Wait } from './rate-limiter.ts'
import { badResponseHint, responseError, withMissingPage, withNextStep } from './response-errors.ts'
import { withRetries } from './retries.ts'
import { isUnansweredWrite, unconfirmedWriteError, type WriteName } from './unconfirmed-writes.ts'

/** Distributes an input: named parameters to the path, the rest to the query of a GET or the body of other methods. */
function distributeInput(
  { method, path }: Pick<HttpRoute, 'method' | 'path'>,
  wire: Record<string, unknown>,
): { path: string; query: URLSearchParams; body: unknown } {
  const rest = { ...wire }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    // A URL with a dot segment would be another URL.
    if (/^\.{0,2}$/.test(value)) throw new AppError('VALIDATION_ERROR', `"${value}" is not a valid ${name}`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  if (method !== 'GET') return { path: filled, query, body: rest }
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return { path: filled, query, body: undefined }
}

/**
 * A route to request. `complete` adds fields of the request that the response lacks. `readBack` is for writes: it reads the result if the
 * response has no body (204). `write` names a method that changes something, and the idempotency key by which it may be repeated.
 */
export type RouteRequest = Pick<HttpRoute, 'method' | 'path' | 'input' | 'output'> & {
  complete?: (body: unknown, sent: Record<string, unknown>) => Promise<unknown>
  readBack?: () => Promise<unknown>
  write?: { name: WriteName; key: string | undefined }
}

/** An exchange in a trace: parameter names without values, and no API key. */
export type TracedExchange = { method: string; host: string; path: string; status: number | null; ms: number }

/** Dependencies of a requester. `deadlineMs` limits one call with all retries, `limitMs` the waiting for rate limits. */
type RequesterDependencies = {
  apiKey: string
  deadlineMs: number
  limitMs: () => number
  now: () => number
  governor: RateLimiter | undefined
  onWait: (seconds: number, why: Wait) => void
  onExchange: (exchange: TracedExchange) => void
}

/** Sends a request to a route and returns its parsed response. */
type SendRequest = (
  base: string,
  route: RouteRequest,
  input: unknown,
  how: {
    signal: AbortSignal | undefined
    isDraft?: boolean | undefined
    onAnswer: (answer: HttpAnswer) => void
  },
) => Promise<unknown>

/** Creates the function that sends all requests to a deployment, with its API key, retries and rate limits. */
export function createRequester(needs: RequesterDependencies): SendRequest {
  const { apiKey, deadlineMs, limitMs, now, governor, onWait, onExchange } = needs
  const dispatcher = newDispatcher()
  const hide = createRedactor([apiKey], '[API key]')
  return async (base, route, input, { signal, isDraft, onAnswer }) => {
    const { method, write } = route
    const key = write?.key
    const read = z.safeEncode(route.input, input as never)
    // An invalid request fails with the same error as at the service.
    if (!read.success) throw invalidInputError(read.error.issues, input)
    const wire = read.data as Record<string, unknown>
    const { path, query, body } = distributeInput(route, wire)
    const url = `${base}${path}${query.size > 0 ? `?${query}` : ''}`
    const tracedPath = `${path}${query.size > 0 ? `?${[...query.keys()].join('&')}` : ''}`
    const exchangeOnce = async (leftMs: number): Promise<HttpAnswer> => {
      const began = performance.now()
      const trace = (status: number | null) =>
        onExchange({
          method,
          host: hostOf(url),
          path: hide(tracedPath),
          status,
          ms: performance.now() - began,
        })
      try {
        const answer = await exchangeJson(method, url, body, {
          takesWebPages: true,
          dispatcher,
          deadlineMs: leftMs,
          maxBytes: 4_194_304,
          hide,
          headers: {
            'x-api-key': apiKey,
            ...(isDraft && { [draftHeader]: '1' }),
            ...(key !== undefined && { 'idempotency-key': key }),
          },
          ...(signal && { signal }),
        })
        trace(answer.status)
        return answer
      } catch (error) {
        trace(null)
        throw withNextStep(error)
      }
    }
    const until = performance.now() + limitMs()
    const waiting = {
      remainingMs: () => until - performance.now(),
      onWait,
      ...(signal && { signal }),
    }
    const mayRetry = changesNothing(route) || key !== undefined
    try {
      const answer = await withRetries(
        { mayRetry, budgetMs: deadlineMs, waiting, governor, now },
        exchangeOnce,
      )
      onAnswer(answer)
      if (answer.status < 200 || answer.status > 299)
        throw withMissingPage(markAsServiceWords(responseError(answer, now())), answer, route)
      if (answer.status === 204 && route.readBack)
        return await route.readBack().catch((error: unknown) => {
          throw write ? unconfirmedWriteError(error, write.name) : error
        })
      if (isActedOn(route)) refuseAmbiguous(answer, route)
      const complete = route.complete ? await route.complete(answer.body, wire) : answer.body
      return parseResponse(route, complete)
    } catch (error) {
      throw write && (wasTaken(error) || isUnansweredWrite(error))
        ? unconfirmedWriteError(error, write.name)
        : error
    }
  }
}

/** Marks an error as the service's own words. */
const markAsServiceWords = (error: AppError): AppError => error.with({ isQuote: true })

/** Whether the service answered with success, but unusably; redirects are not counted. */
const wasTaken = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'SERVICE_BAD_RESPONSE' && error.details?.fault !== 'redirect'

/** Whether a request may be repeated: reads, and generators of transactions. */
const changesNothing = ({ method, path }: RouteRequest): boolean =>
  method === 'GET' || path.endsWith('/bytecode')

/** Whether money moves by the response: quotes and transactions. */
const isActedOn = ({ path }: RouteRequest): boolean => /\/(quotes?|bytecode)$|^(\/v1)?\/yield\//.test(path)

/** Refuses an ambiguous response: another JSON parser could read it differently, so it must not be signed. */
function refuseAmbiguous({ text }: HttpAnswer, { method, path }: RouteRequest): void {
  const name = ambiguousName(text)
  if (name !== undefined)
    throw new AppError(
      'SERVICE_BAD_RESPONSE',
      `The service answers ${method} ${path} with "${sanitizeText(name)}" in an ambiguous way`,
      { details: { at: [name] }, next: badResponseHint },
    )
}

/** Parses a response. SERVICE_BAD_RESPONSE if it does not match the contract; the error does not repeat the response. */
function parseResponse({ method, path, output }: RouteRequest, body: unknown): unknown {
  const read = z.safeDecode(output, body as never)
  if (read.success) return read.data
  const at = placesOf(read.error.issues)
    .slice(0, 5)
    .map((path) => path.join('.') || '(the whole)')
  throw new AppError('SERVICE_BAD_RESPONSE', `The service returns an invalid response to ${method} ${path}`, {
    details: { at },
    next: badResponseHint,
  })
}

/** The paths of issues; for a union, those of the closest alternative. */
const placesOf = (issues: readonly z.core.$ZodIssue[]): PropertyKey[][] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue.path]
    const [closest = [[]]] = issue.errors.map(placesOf).toSorted((a, b) => a.length - b.length)
    return closest.map((inner) => [...issue.path, ...inner])
  })
