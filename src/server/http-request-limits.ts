import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions } from 'fastify'
import { toEnvelope } from '../api/error-envelope.ts'
import { AppError } from '../domain/errors.ts'

/** Maximum length of a URL with its query, in characters. */
const mostUrl = 8_192

/** Node creates no body stream for a request without a body where it has this option; its types lack it. */
const emptyRequests: object = { optimizeEmptyRequests: true }

/**
 * Limits of a request: 256 KiB of body, 16 KiB of headers, 10 s for the headers and 30 s for all of it. Connections
 * with malformed HTTP are closed.
 */
export const requestLimits = {
  bodyLimit: 262_144,
  requestTimeout: 30_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 5_000,
  maxRequestsPerSocket: 10_000,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  exposeHeadRoutes: true,
  routerOptions: {
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 1_024,
  },
  http: {
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    // A missing host header is refused below, with this program's error.
    requireHostHeader: false,
    insecureHTTPParser: false,
    ...emptyRequests,
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => cutOff(error, socket),
} satisfies FastifyHttpOptions<Server>

/** Takes the content type from a request without a body: the framework would wait for a body stream, which Node has not created. */
export function forgetTypeOfNothing(headers: IncomingHttpHeaders): void {
  const isEmpty =
    headers['transfer-encoding'] === undefined && ['0', undefined].includes(headers['content-length'])
  if (isEmpty) delete headers['content-type']
}

/**
 * Answers malformed HTTP with an error and closes the connection, because later requests on it cannot be told apart.
 */
function cutOff({ code }: { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  refuseOn(
    socket,
    code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('HEADERS_TOO_LARGE', 'The headers are too large')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError('REQUEST_TIMEOUT', 'The request took too long')
        : new AppError('BAD_REQUEST', 'The request is not valid HTTP'),
  )
}

/** Refuses CONNECT tunnels and `Expect` headers other than 100-continue. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_, socket: Duplex) =>
    refuseOn(socket, new AppError('METHOD_NOT_ALLOWED', 'This server is not a proxy')),
  )
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    refuseOn(socket, new AppError('BAD_REQUEST', 'The only accepted Expect header is 100-continue')),
  )
}

/** Answers on the raw socket and closes it, because a client that keeps its side open would hold it. */
function refuseOn(socket: Duplex, refusal: AppError): void {
  const { status, body } = toEnvelope(refusal)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Error\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    () => socket.destroy(),
  )
}

const single = ['x-api-key', 'host', 'content-type', 'content-length', 'authorization']
const lengths = new Set(single.map(({ length }) => length))

/** Refuses requests that two parsers could read differently, such as a repeated header, and URLs that are too long. */
export function refuseUnlawful({ rawHeaders, url = '', httpVersion }: IncomingMessage): AppError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new AppError('BAD_REQUEST', `This server does not support HTTP ${httpVersion}`)
  if (url.length > mostUrl)
    return new AppError('URL_TOO_LONG', `The URL is longer than ${mostUrl} characters`)
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!lengths.has(rawHeaders[at]!.length)) continue
    const name = rawHeaders[at]!.toLowerCase()
    if (!single.includes(name)) continue
    if (seen.includes(name)) return new AppError('BAD_REQUEST', `The header ${name} is given more than once`)
    seen.push(name)
  }
  if (httpVersion === '1.1' && !seen.includes('host'))
    return new AppError('BAD_REQUEST', 'The header host is missing')
  return undefined
}
