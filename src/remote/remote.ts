import { z } from 'zod'

import { fromEnvelope } from '../api/envelope.ts'
import { type Route, routes } from '../api/routes.ts'
import type { Service } from '../api/service.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { exchangeJson, type HttpAnswer, hostOf, newDispatcher } from '../net/http.ts'
import { backoffMs, wait } from '../net/patience.ts'

/** A deployment of the service, and the key that it knows us by. */
export type Deployment = { baseUrl: string; apiKey: string; deadlineMs?: number }

/** The service, far away: every route becomes a method that makes one HTTP exchange. Reads are tried again, at most twice. */
export function remote({ baseUrl, apiKey, deadlineMs = 15_000 }: Deployment): Service {
  const base = checked(baseUrl)
  const dispatcher = newDispatcher()
  const ask = async (route: Route, input: unknown, signal?: AbortSignal): Promise<unknown> => {
    const { path, query, body } = addressed(
      route,
      z.encode(route.input, input as never) as Record<string, unknown>,
    )
    const url = `${base}${path}${query}`
    const options = {
      dispatcher,
      deadlineMs,
      maxBytes: 4_194_304,
      headers: { 'x-api-key': apiKey },
      ...(signal && { signal }),
    }
    return understood(
      route,
      await patiently(route.method === 'GET', () => exchangeJson(route.method, url, body, options)),
    )
  }
  const methods = Object.entries(routes).map(([name, route]) => [
    name,
    (input: unknown, { signal }: { signal?: AbortSignal } = {}) => ask(route, input, signal),
  ])
  return Object.fromEntries(methods) as Service
}

/** The key travels only over https, or on loopback. */
function checked(baseUrl: string): string {
  const url = URL.parse(baseUrl)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AppError('CONFIG_INVALID', 'The base URL of the service is not a URL')
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !isLoopback)
    throw new AppError(
      'CONFIG_INVALID',
      `The service at ${hostOf(baseUrl)} is not https, and an API key does not travel in the clear`,
    )
  return baseUrl.replace(/\/+$/, '')
}

/** Where an input goes: what the path names goes into the path, the rest into the query of a GET or the body of another. */
function addressed(
  { method, path }: Route,
  wire: Record<string, unknown>,
): { path: string; query: string; body: unknown } {
  const rest = { ...wire }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    // A URL with a segment of dots is another URL.
    if (/^\.{0,2}$/.test(value)) throw new AppError('VALIDATION_ERROR', `"${value}" cannot be a ${name}`)
    return encodeURIComponent(value)
  })
  if (method !== 'GET') return { path: filled, query: '', body: rest }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return { path: filled, query: query.size > 0 ? `?${query}` : '', body: undefined }
}

async function patiently(mayRetry: boolean, exchange: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let tried = 1; ; tried++) {
    try {
      const answer = await exchange()
      if (answer.status < 500 || !mayRetry || tried > 2) return answer
    } catch (error) {
      if (!(error instanceof AppError) || errorRow(error.code).retryable !== true || !mayRetry || tried > 2)
        throw error
    }
    await wait(backoffMs(tried))
  }
}

/** What an answer means: the value, or the service's own error; anything else is SERVICE_BAD_RESPONSE, and is not repeated. */
function understood({ method, path, output }: Route, { status, body }: HttpAnswer): unknown {
  if (status < 200 || status > 299) throw fromEnvelope(status, body)
  const read = z.safeDecode(output, body as never)
  if (read.success) return read.data
  const at = read.error.issues.slice(0, 5).map((issue) => issue.path.join('.') || '(the whole)')
  throw new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service answers ${method} ${path} with something else than it should`,
    { details: { at } },
  )
}
