import type { FastifyInstance, HTTPMethods } from 'fastify'
import { toEnvelope } from '../api/error-envelope.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'

/** The HTTP answer for an error. */
export type ErrorAnswer = { status: number; headers: Record<string, string>; body: unknown }

/** Errors of the server library, with this program's code and message. */
const libraryErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BAD_REQUEST',
    'The length of the body differs from its content-length',
  ],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The URL is malformed'],
  FST_ERR_MAX_PARAM_LENGTH: ['URL_TOO_LONG', 'A part of the URL is too long'],
}

/** Converts an error to the specification's envelope and its headers. `path` is that of the route, if any. */
export function errorAnswer(error: unknown, path = ''): ErrorAnswer {
  const known = withoutNode(translateLibraryError(error), path)
  const { status, body } = toEnvelope(known)
  const { details } = known instanceof AppError ? known : {}
  return {
    status,
    body,
    headers: {
      ...(status === 429 && { 'retry-after': String(details?.retryAfter ?? 60) }),
      ...(typeof details?.retryAfterSeconds === 'number' && {
        'retry-after': String(details.retryAfterSeconds),
      }),
      ...(status === 405 && { allow: String(details?.allow ?? '') }),
      ...((status === 413 || status === 503) && { connection: 'close' }),
    },
  }
}

function translateLibraryError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  const row = typeof code === 'string' && Object.hasOwn(libraryErrors, code) ? libraryErrors[code] : undefined
  return row ? new AppError(row[0], row[1], { cause: error }) : error
}

/** Replaces an error of a chain by one that names the network but not the node. */
function withoutNode(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || !/^(RPC_|CHAIN_ID_|HISTORY_UNREAD)/.test(error.code)) return error
  const { network, networks = [network] } = error.details ?? {}
  return unreadNetworksError(
    (networks as unknown[]).filter((one) => typeof one === 'string'),
    path,
    error,
  )
}

/** The error for networks that cannot be read; requests for transactions have their own code. */
export function unreadNetworksError(missing: readonly string[], path: string, cause?: unknown): AppError {
  const who = missing.length > 0 ? `${missing.join(', ')} cannot` : 'The requested data cannot'
  return new AppError(
    path.endsWith('/bytecode') ? 'BYTECODE_GENERATION_FAILED' : 'INTERNAL_SERVER_ERROR',
    `${who} be read now`,
    { cause, ...(missing.length > 0 && { details: { missing } }) },
  )
}

const methods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE']

/** Returns the methods allowed on a path; empty for an unknown path. */
export const allowedMethods = (app: FastifyInstance, path: string): string[] =>
  methods.filter((method) => app.findRoute({ method, url: path }) !== null)
