import { z } from 'zod'

import { toEnvelope } from '../api/envelope.ts'
import { type OlderRoute, olderRoutes } from '../api/older-routes.ts'
import { refusedInput } from '../api/refused-input.ts'
import { type Route, routes } from '../api/routes.ts'
import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'

/** A request without its socket. Names of headers are lower-case; `query` holds one value a name. */
export type Ask = {
  method: string
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | undefined>>
  body?: unknown
}

/** A response without its socket; its body is JSON. */
export type Answer = { status: number; headers: Record<string, string>; body: unknown }

/** Who may ask: given the API key of a request, it throws or it does not. */
export type Authorize = (apiKey: string | undefined) => Promise<void>

type Served = { name: keyof Service; route: Route | OlderRoute; params: Record<string, string> }

/** A service as HTTP: the inverse of `remote`. Deprecated paths are answered too, and say so. */
export function handler(service: Service, authorize: Authorize): (ask: Ask) => Promise<Answer> {
  return async (ask) => {
    try {
      await authorize(ask.headers['x-api-key'])
      const { name, route, params } = served(ask)
      const sent = route.method === 'GET' ? ask.query : (ask.body ?? {})
      const input = decoded(route.input, { ...(sent as object), ...params })
      const method = service[name] as (input: unknown) => Promise<unknown>
      const output = await method(input)
      const missing = 'missing' in route ? route.missing?.(output) : undefined
      if (missing) throw missing
      return { status: 200, headers: deprecation(route), body: z.encode(route.output, output as never) }
    } catch (error) {
      const { status, body } = toEnvelope(error)
      return { status, headers: {}, body }
    }
  }
}

/** What was sent, read as a route's input. */
function decoded(schema: z.ZodType, sent: unknown): unknown {
  const read = z.safeDecode(schema, sent as never)
  if (read.success) return read.data
  throw refusedInput(read.error.issues, sent)
}

/** The route of a path: a literal segment wins over a parameter. */
function served({ method, path }: Ask): Served {
  const current = Object.entries(routes).map(([name, route]) => ({
    name: name as keyof Service,
    route: route as Route,
  }))
  const older = olderRoutes.map((route) => ({ name: route.as as keyof Service, route }))
  const found = [...current, ...older]
    .flatMap(({ name, route }) => {
      const params = route.method === method ? matched(route.path, path) : undefined
      return params ? [{ name, route, params }] : []
    })
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0]
  if (found) return found
  throw new AppError('NOT_FOUND', `There is no endpoint ${method} ${path}`)
}

function matched(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, segment] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined && segment !== given[at]) return undefined
    if (name === undefined) continue
    const value = unescaped(given[at]!)
    if (value === undefined || value === '') return undefined
    params[name] = value
  }
  return params
}

/** A path segment read once; one that is not well-formed, or hides a control character, names nothing. */
function unescaped(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return /[\u0000-\u001f\u007f]/.test(text) ? undefined : text
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

const deprecation = (route: Route | OlderRoute): Record<string, string> =>
  'as' in route ? { deprecation: 'true', link: `<${routes[route.as].path}>; rel="successor-version"` } : {}
