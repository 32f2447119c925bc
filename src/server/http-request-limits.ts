import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions } from 'fastify'
import { toEnvelope } from '../api/error-envelope.ts'
import { AppError } from '../domain/errors.ts'

/** How long an address may be, with its query. */
const mostUrl = 8_192

/** Where Node knows it, what has no body is given no stream for one; its types do not know it yet. */
const emptyRequests: object = { optimizeEmptyRequests: true }

/** What one request may cost: 256 KiB of body, 16 KiB of headers, 10 s for the headers and 30 s for all of it; what is not strict HTTP is cut off. */
export const caps = {
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
    // A request without one is refused in our words, below.
    requireHostHeader: false,
    insecureHTTPParser: false,
    ...emptyRequests,
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => cutOff(error, socket),
} satisfies FastifyHttpOptions<Server>

/** Answers what is no request in its own words, and closes: nothing after it on this connection can be told apart from it. */
function cutOff({ code }: { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  refuseOn(
    socket,
    code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('HEADERS_TOO_LARGE', 'The headers are too large')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError('REQUEST_TIMEOUT', 'The request took too long')
        : new AppError('BAD_REQUEST', 'This is no HTTP request'),
  )
}

/** Refuses what asks for something else than an answer: a tunnel, or a promise. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_, socket: Duplex) =>
    refuseOn(socket, new AppError('METHOD_NOT_ALLOWED', 'This is no proxy')),
  )
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    refuseOn(socket, new AppError('BAD_REQUEST', 'Nothing else can be expected than 100-continue')),
  )
}

/** Answers on the bare connection and ends it: whoever does not close his side would hold it for as long as he likes. */
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

/** What two readers could read in two ways: a header that may stand once and stands twice, and an address that is too long. */
export function refuseUnlawful({ rawHeaders, url = '', httpVersion }: IncomingMessage): AppError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new AppError('BAD_REQUEST', `This server does not speak HTTP ${httpVersion}`)
  if (url.length > mostUrl)
    return new AppError('URL_TOO_LONG', `The address is longer than ${mostUrl} characters`)
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
