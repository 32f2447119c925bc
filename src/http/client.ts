import type { Dispatcher } from 'undici'
import { AppError } from '../domain/errors.ts'
import { spanText } from '../domain/text/time-spans.ts'
import { maxTimerMs } from '../domain/timer-limit.ts'
import { retryAfterMs } from './backoff.ts'
import { type Connections, newDispatcher, proxyFlaw } from './dispatcher.ts'
import { programVersion } from './program-version.ts'
import { redactError } from './redaction.ts'
import { basicCredentials } from './secret-url-parts.ts'
import { parseStrict } from './strict-json.ts'
import { currentWaits, timeOverError } from './waits.ts'

/** Texts for Node's certificate error codes, from OpenSSL (nodejs.org/api/tls.html, X509 certificate error codes). */
const flaws: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  CERT_UNTRUSTED: 'its issuer is not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  HOSTNAME_MISMATCH: 'it is for another host',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CERT_REJECTED: 'it is rejected',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_CA: 'its issuer is not allowed to sign',
  INVALID_PURPOSE: 'it is not a server certificate',
}

/** Describes the certificate fault that made a connection fail; `undefined` for other errors. */
function certificateFlaw(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code !== undefined && Object.hasOwn(flaws, code)) return `${flaws[code]} (${code})`
  }
  return undefined
}

/**
 * Options of an HTTP call. `deadlineMs` includes the last byte of the body. `hide` removes secrets from all texts of the response before
 * they are used.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type HttpOptions = {
  headers?: Readonly<Record<string, string>>
  deadlineMs?: number
  maxBytes?: number
  signal?: AbortSignal
  dispatcher?: Connections
  hide?: (text: string) => string
  /** The chain that the host serves, by which the progress of a command names it. */
  chainId?: number | undefined
  /** Whether the caller names a gateway itself; otherwise its page in place of an answer throws. */
  takesWebPages?: boolean
}

/**
 * A response with its parsed JSON body: `undefined` if it is empty, or if an error's body is not JSON. Header names are in lower case;
 * `text` is the unparsed body.
 */
export type HttpAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
  text: string
}

/** Why an exchange failed: no connection, an untrusted certificate, the refusal of a proxy, a timeout, an abort, or an unacceptable response. */
export type HttpFault =
  | 'unreachable'
  | 'certificate'
  | 'proxy'
  | 'deadline'
  | 'too-large'
  | 'too-deep'
  | 'not-json'
  | 'encoded'
  | 'redirect'
  | 'aborted'
  | 'gateway'

const fault = (kind: HttpFault, message: string, cause?: unknown): AppError =>
  new AppError(
    ['unreachable', 'certificate', 'proxy', 'deadline', 'aborted', 'gateway'].includes(kind)
      ? 'SERVICE_UNREACHABLE'
      : 'SERVICE_BAD_RESPONSE',
    message,
    {
      details: { fault: kind },
      cause,
    },
  )

/** The host of a URL, the only part to print: paths and queries may contain keys. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', 'A configured URL is not valid', { cause })
  }
}

/** The message of a failed exchange for who is at the host (`The node`); it names the host once. */
export const namedOnce = (who: string, host: string, message: string): string => {
  if (message.startsWith(`${host} `)) return `${who} at ${message}`
  return message.includes(host) ? message : `${who} at ${host} cannot be used: ${message}`
}

/** Whether a response is a page for people, as gateways send it in place of the node or service behind them. */
export const isWebPage = ({ headers, text }: Pick<HttpAnswer, 'headers' | 'text'>): boolean =>
  /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype html|html)\b/i.test(text)

/** Whether a gateway answered in place of the service: with a web page, and a status by which it refuses or has no service behind it. */
export const isGatewayPage = (answer: Pick<HttpAnswer, 'status' | 'headers' | 'text'>): boolean =>
  (answer.status === 403 || answer.status >= 500) && isWebPage(answer)

/** The error for the page of a gateway, with the wait that its `Retry-After` states. */
function gatewayFault(host: string, status: number, waitMs: number | undefined): AppError {
  const message = `The gateway in front of ${host} answers with HTTP status ${status} and a web page${askedWait(waitMs)}`
  const seconds = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000)
  return new AppError('SERVICE_UNREACHABLE', message, {
    details: {
      fault: 'gateway' satisfies HttpFault,
      status,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    },
    ...(seconds !== undefined && { next: `Wait ${spanText(1_000 * seconds, Math.ceil)}, then try again.` }),
  })
}

/** The wait that a `Retry-After` states, as the end of a sentence. */
export const askedWait = (waitMs: number | undefined): string =>
  waitMs === undefined ? '' : `, and asks to wait ${spanText(waitMs, Math.ceil)}`

/** The host that a redirect leads to; only the host is printed, because the rest may contain keys. */
function redirectHost(location: string | undefined, from: string): string {
  const target = location === undefined ? null : URL.parse(location, from)
  return target?.host ? target.host.slice(0, 253) : 'no host'
}

/** Whether a host is this machine. */
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Whether nobody else can read what is sent to a URL: its connection is encrypted, or ends on this machine. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isLoopback(hostname)

/**
 * The header for a user and password in a URL. Over an unencrypted connection to another machine they are not sent: CONFIG_INVALID.
 */
function basicAuthorization(url: URL): { authorization?: string } {
  const { host, username, password } = url
  if (username === '' && password === '') return {}
  if (!isProtected(url))
    throw new AppError(
      'CONFIG_INVALID',
      `The URL for ${host} has a password, but its connection is not encrypted`,
      {
        next: 'Use https, or remove the user and password from the URL.',
      },
    )
  return { authorization: `Basic ${basicCredentials(username, password)}` }
}

async function readCapped(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      body.destroy()
      throw fault('too-large', `The answer is larger than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const unchanged = (text: string): string => text

/** The request of an exchange. A user and password in the URL become a header. */
function requestOf(method: Method, url: string, body: unknown, headers: HttpOptions['headers']) {
  const target = new URL(url)
  return {
    origin: target.origin,
    path: target.pathname + target.search,
    method,
    headers: {
      accept: 'application/json',
      // Refuse compression: no body can grow when it is decompressed.
      'accept-encoding': 'identity',
      // Many nodes and services refuse requests without one.
      'user-agent': `sluice/${programVersion}`,
      ...basicAuthorization(target),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

/** Reads a response with its body. The error status of an unusable body is still an answer, except behind a gateway. */
async function readAnswer(
  { statusCode: status, headers: received, body }: Dispatcher.ResponseData,
  url: string,
  { maxBytes = 8_388_608, hide = unchanged, takesWebPages, signal }: HttpOptions,
): Promise<HttpAnswer> {
  const host = hostOf(url)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(received))
    if (value !== undefined) headers[hide(name)] = hide(Array.isArray(value) ? value.join(', ') : value)
  if (status >= 300 && status < 400) {
    await body.dump({ limit: 1_024 })
    throw fault(
      'redirect',
      `${host} answered ${status} with a redirect to ${redirectHost(headers.location, url)}, which is not followed`,
    )
  }
  try {
    if (![undefined, '', 'identity'].includes(headers['content-encoding'])) {
      await body.dump({ limit: 1_024 })
      throw fault('encoded', `${host} answered in an encoding that was not requested`)
    }
    const text = hide(await readCapped(body, maxBytes))
    if (!takesWebPages && isGatewayPage({ status, headers, text }))
      throw gatewayFault(host, status, retryAfterMs(headers['retry-after'], Date.now()))
    return { status, headers, text, body: parseJson(text, host, status) }
  } catch (error) {
    const isGateway = error instanceof AppError && error.details?.fault === 'gateway'
    if (status < 400 || signal?.aborted || isGateway) throw error
    return { status, headers, text: '', body: undefined }
  }
}

/** The error of a connection that failed by itself: its certificate, the proxy, or the network. */
function connectionFault(host: string, error: unknown): AppError {
  const flaw = certificateFlaw(error)
  if (flaw !== undefined)
    return fault('certificate', `The certificate of ${host} is not trusted: ${flaw}`, error)
  const proxy = proxyFlaw(error)
  if (proxy)
    return fault(proxy.isRefusal ? 'proxy' : 'unreachable', `${host} cannot be reached: ${proxy.text}`, error)
  return fault('unreachable', `${host} cannot be reached`, error)
}

/**
 * Makes one HTTP exchange with JSON in both directions: no redirects, a size limit, and one deadline for the whole exchange, including a
 * slow body. Without a `dispatcher` it opens and closes its own connection. Throws SERVICE_UNREACHABLE or SERVICE_BAD_RESPONSE with
 * `details.fault`; an error status does not throw, except for the web page of a gateway.
 */
export async function exchangeJson(
  method: Method,
  url: string,
  body: unknown,
  options: HttpOptions = {},
): Promise<HttpAnswer> {
  const { headers, deadlineMs = 10_000, hide = unchanged } = options
  const host = hostOf(url)
  const waits = currentWaits()
  if (waits?.signal.aborted) throw timeOverError(host)
  const dispatcher = options.dispatcher ?? newDispatcher()
  const deadline = new AbortController()
  const ended = waits?.begin(host, options.chainId)
  let isAnswered = false
  // The remaining time may be negative.
  const timer = setTimeout(() => deadline.abort(), Math.min(Math.max(0, deadlineMs), maxTimerMs))
  const stop = () => deadline.abort()
  options.signal?.addEventListener('abort', stop, { once: true })
  waits?.signal.addEventListener('abort', stop, { once: true })
  try {
    if (options.signal?.aborted) deadline.abort()
    const request = requestOf(method, url, body, headers)
    const answer = await dispatcher.request({ ...request, signal: deadline.signal })
    isAnswered = true
    return await readAnswer(answer, url, options)
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown
    const error = hide === unchanged ? thrown : redactError(thrown, hide)
    if (options.signal?.aborted) throw fault('aborted', `The request to ${host} was aborted`, error)
    if (waits?.signal.aborted) throw timeOverError(host)
    if (deadline.signal.aborted)
      throw fault('deadline', `${host} did not answer within ${Math.round(deadlineMs)} ms`, error)
    throw connectionFault(host, error)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
    waits?.signal.removeEventListener('abort', stop)
    ended?.(isAnswered)
    if (!options.dispatcher) void dispatcher.close()
  }
}

function parseJson(text: string, host: string, status: number): unknown {
  try {
    return parseStrict(text)
  } catch (cause) {
    // An error page, for example from a proxy.
    if (status >= 400) return undefined
    if (cause instanceof AppError) throw cause
    throw new AppError('SERVICE_BAD_RESPONSE', `${host} answered ${status}, but not with JSON`, {
      details: { fault: 'not-json' satisfies HttpFault, status },
      cause,
    })
  }
}

/** Sends one `GET`. */
export const getJson = (url: string, options?: HttpOptions): Promise<HttpAnswer> =>
  exchangeJson('GET', url, undefined, options)

/** Sends one `POST`. */
export const postJson = (url: string, body: unknown, options?: HttpOptions): Promise<HttpAnswer> =>
  exchangeJson('POST', url, body, options)
