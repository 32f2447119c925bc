import { z } from 'zod'
import { invalidInputError } from '../api/error-envelope.ts'
import { missingHeader, missingHeaderValue } from '../api/missing-networks.ts'
import type { OlderRoute } from '../api/older-routes.ts'
import { answerShapes, type HttpRoute } from '../api/routes.ts'
import { type CallOptions, draftHeader, type Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { prototypeName } from '../http/strict-json.ts'
import type { Sql } from '../store/sql/sql-types.ts'
import type { Served } from './served-routes.ts'

/** The parts of a request. `query` holds a list for a repeated name. `url` is the path and query as received. */
export type ReceivedRequest = {
  url: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | string[]>>
  body: unknown
  headers?: Readonly<Record<string, unknown>>
}

/** Keeps the text of an answer in a transaction. */
export type KeepText = (tx: Pick<Sql, 'query'>, text: string) => Promise<void>

/** Sets a header of the answer. */
type Head = { header: (name: string, value: string) => unknown }

/**
 * Returns the handler of one route, which answers with the JSON of the service's result. A long answer is sent as
 * bytes, without a copy; a short one as text, in one piece with the headers. The JSON is cached as long as the result
 * object lives. `ready` is called once the result is there. `keep` keeps the answer in the transaction of its change, for a method that says so.
 */
export function routeHandler<head extends Head>(
  { name, route, successor }: Served,
  ready: (head: head) => void,
): (service: Service, sent: ReceivedRequest, head: head, keep?: KeepText) => Promise<string | Buffer> {
  const { quickstart } = route as HttpRoute
  const inShape = {
    reference: { schema: route.output, written: new WeakMap<object, string | Buffer>() },
    quickstart: { schema: quickstart ?? route.output, written: new WeakMap<object, string | Buffer>() },
  }
  const inputOf = inputReader(route)
  return async (service, sent, head, keep) => {
    const { schema, written } = inShape[quickstart ? shapeOf(sent.query) : 'reference']
    const call = service[name] as (input: unknown, options?: CallOptions) => Promise<object>
    const output = await call(inputOf(sent), {
      ...(sent.headers?.[draftHeader] !== undefined && { isDraft: true }),
      ...(keep && {
        keepAnswer: (tx, answer) =>
          keep(tx as Pick<Sql, 'query'>, JSON.stringify(z.encode(schema, answer as never))),
      }),
    })
    const missing = successor && (route as OlderRoute).missing?.(output as never)
    if (missing) throw missing
    const left = missingHeaderValue(output)
    if (left !== undefined) head.header(missingHeader, left)
    ready(head)
    const kept = written.get(output)
    if (kept !== undefined) return kept
    const text = JSON.stringify(z.encode(schema, output as never))
    const sendable = text.length < short ? text : Buffer.from(text)
    written.set(output, sendable)
    return sendable
  }
}

/** The shape that a query asks for; the default is `reference`. */
function shapeOf({ shape = answerShapes[0] }: ReceivedRequest['query']): (typeof answerShapes)[number] {
  const known = answerShapes.find((one) => one === shape)
  if (known) return known
  throw validationError([{ path: 'shape', message: `must be ${answerShapes.join(' or ')}` }])
}

/** Below this length in characters, copying a text is cheaper than sending two pieces. */
const short = 4_096

const most = { urls: 1_000, url: 512 }

/** Returns the parser of a route's input. The result for a GET URL is cached. */
function inputReader(route: HttpRoute | OlderRoute): (sent: ReceivedRequest) => unknown {
  if (route.method !== 'GET') return (sent) => read(route, sent)
  const known = new Map<string, unknown>()
  return (sent) => {
    if (known.has(sent.url)) return known.get(sent.url)
    const input = Object.freeze(read(route, sent))
    if (known.size >= most.urls) known.clear()
    if (sent.url.length <= most.url) known.set(sent.url, input)
    return input
  }
}

/** Parses the input by the schema of the route: path parameters, and the query of a GET or the body otherwise. */
function read({ method, input }: HttpRoute | OlderRoute, { params, query, body }: ReceivedRequest): unknown {
  for (const [param, value] of Object.entries(params))
    if (value === '' || /[\u0000-\u001f\u007f]/.test(value))
      throw new AppError('NOT_FOUND', `Nothing exists at this ${param}`)
  const sent = method === 'GET' ? singleParameters(query) : (body ?? {})
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw validationError([{ path: '', message: 'expected an object' }])
  const known = z.safeDecode(input, { ...sent, ...params } as never)
  if (known.success) return known.data
  throw invalidInputError(known.error.issues, { ...sent, ...params })
}

/** Refuses a query with a repeated name. */
function singleParameters(query: ReceivedRequest['query']): Record<string, string> {
  const errors = Object.entries(query).flatMap(([path, value]) =>
    Array.isArray(value)
      ? [{ path, message: 'is given more than once' }]
      : path === prototypeName
        ? [{ path, message: 'is not a parameter' }]
        : [],
  )
  if (errors.length > 0) throw validationError(errors)
  return query as Record<string, string>
}

/** The 422 error of the specification. */
export const validationError = (errors: { path: string; message: string }[]): AppError =>
  new AppError('VALIDATION_ERROR', `${errors[0]?.path || 'The request'}: ${errors[0]?.message}`, {
    details: { errors },
  })
