import { z } from 'zod'

import { type Route, routes } from '../api/routes.ts'
import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'
import { exchangeJson, type HttpAnswer, hostOf, newDispatcher } from '../net/http.ts'
import { patiently, refusal } from './patience.ts'

/**
 * A deployment of the service, and the key that it knows us by. One call takes at most `deadlineMs`, with all its tries.
 * `clockIsOff` is told once when its clock and ours are more than five minutes apart, in ms.
 */
export type Deployment = {
  baseUrl: string
  apiKey: string
  deadlineMs?: number
  now?: () => number
  clockIsOff?: (byMs: number) => void
}

const toleranceMs = 5 * 60_000

/** The service, far away: every route becomes a method that makes one HTTP exchange. What changes nothing is tried again, at most three times. */
export function remote({
  baseUrl,
  apiKey,
  deadlineMs = 15_000,
  now = Date.now,
  clockIsOff,
}: Deployment): Service {
  const base = checked(baseUrl)
  const key = checkedKey(apiKey)
  let toldOfClock = false
  const compareClocks = ({ headers }: HttpAnswer) => {
    const byMs = Date.parse(headers.date ?? '') - now()
    if (toldOfClock || !(Math.abs(byMs) > toleranceMs)) return
    toldOfClock = true
    clockIsOff?.(byMs)
  }
  const dispatcher = newDispatcher()
  const ask = async (route: Route, input: unknown, signal?: AbortSignal): Promise<unknown> => {
    const { path, query, body } = addressed(
      route,
      z.encode(route.input, input as never) as Record<string, unknown>,
    )
    const url = `${base}${path}${query}`
    const asking = { mayRetry: changesNothing(route), budgetMs: deadlineMs, ...(signal && { signal }) }
    const answer = await patiently(asking, (left) =>
      exchangeJson(route.method, url, body, {
        dispatcher,
        deadlineMs: left,
        maxBytes: 4_194_304,
        headers: { 'x-api-key': key },
        ...(signal && { signal }),
      }),
    )
    compareClocks(answer)
    return understood(route, answer)
  }
  const methods = Object.entries(routes).map(([name, route]) => [
    name,
    (input: unknown, { signal }: { signal?: AbortSignal } = {}) => ask(route, input, signal),
  ])
  return Object.fromEntries(methods) as Service
}

/** A read, or a generator of transactions, which may be asked again. */
const changesNothing = ({ method, path }: Route): boolean => method === 'GET' || path.endsWith('/bytecode')

/** A key is one line of visible characters: anything else would be another header. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(apiKey)) return apiKey
  throw new AppError('CONFIG_INVALID', 'The API key is not one line of visible characters', {
    hint: 'Set the API key in SLUICE_API_KEY.',
  })
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

/** What an answer means: the value, or the service's own error; anything else is SERVICE_BAD_RESPONSE, and is not repeated. */
function understood({ method, path, output }: Route, answer: HttpAnswer): unknown {
  if (answer.status < 200 || answer.status > 299) throw refusal(answer)
  const read = z.safeDecode(output, answer.body as never)
  if (read.success) return read.data
  const at = read.error.issues.slice(0, 5).map((issue) => issue.path.join('.') || '(the whole)')
  throw new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service answers ${method} ${path} with something else than it should`,
    { details: { at } },
  )
}
