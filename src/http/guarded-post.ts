import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent } from 'undici'
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts'

/** Resolves the name of a host to all its addresses. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

const resolveAll: Resolve = (host) => lookup(host, { all: true, verbatim: true })

/**
 * A request to an address that somebody else chose. Only public addresses are reached, over HTTPS; `allowLoopback` also allows this machine, over either
 * scheme, and `anyAddress` is for a URL of the person at the terminal.
 */
export type GuardedRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  timeoutMs: number
  allowLoopback: boolean
  anyAddress?: boolean
  resolve?: Resolve
}

/** The answer: its status and how long it asks to wait, or why there is none. */
export type GuardedAnswer = { status: number; retryAfterMs: number | null } | { error: string }

/** How much of an answer is read before its connection is closed, in bytes. */
const mostRead = 65_536

/**
 * The reason why a URL is refused before its name is resolved; `undefined` if there is none. HTTP is only for this machine, if that is allowed.
 */
export function urlFlaw(
  text: string,
  { allowLoopback, anyAddress = false }: Pick<GuardedRequest, 'allowLoopback' | 'anyAddress'>,
): string | undefined {
  const url = URL.parse(text)
  if (!url || url.hostname === '') return 'is not a URL'
  if (url.username !== '' || url.password !== '') return 'must not have a user name or a password'
  const host = hostOf(url)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (anyAddress) return undefined
  const isOwn = isIP(host) > 0 ? isLoopbackAddress(host) : host === 'localhost'
  if (url.protocol === 'http:' && !(allowLoopback && isOwn))
    return `must begin with https://${isOwn ? ', unless the server and the command have --allow-http' : ''}`
  if (isIP(host) === 0 && host !== 'localhost') return undefined
  return mayReach(host === 'localhost' ? '127.0.0.1' : host, allowLoopback)
    ? undefined
    : 'names an address in a private network'
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const mayReach = (address: string, allowLoopback: boolean): boolean =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address))

/**
 * Posts a body to a URL. Its name is resolved for this request, every address is checked, and the connection goes to one that was checked. It has no proxy,
 * follows no redirect and is not used again. Never throws.
 */
export async function guardedPost(request: GuardedRequest): Promise<GuardedAnswer> {
  const { url: text, headers, body, timeoutMs, allowLoopback, anyAddress = false } = request
  const flaw = urlFlaw(text, request)
  if (flaw !== undefined) return { error: `the URL ${flaw}` }
  const url = new URL(text)
  const signal = AbortSignal.timeout(timeoutMs)
  let agent: Agent | undefined
  try {
    const host = hostOf(url)
    const addresses =
      isIP(host) > 0
        ? [{ address: host, family: isIP(host) }]
        : await before(signal, (request.resolve ?? resolveAll)(host))
    if (addresses.length === 0) return { error: 'the host has no address' }
    const isOwnOnly = url.protocol === 'http:' && !anyAddress
    const isRefused = ({ address }: { address: string }) =>
      isOwnOnly ? !isLoopbackAddress(address) : !anyAddress && !mayReach(address, allowLoopback)
    if (addresses.some(isRefused)) return { error: 'the host has an address in a private network' }
    const chosen = addresses[0]!
    agent = new Agent({
      connections: 1,
      connect: {
        timeout: timeoutMs,
        lookup: (_, options, done) =>
          options.all ? done(null, [chosen]) : done(null, chosen.address, chosen.family),
      },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers,
      body,
      signal,
    })
    await answer.body.dump({ limit: mostRead, signal })
    return { status: answer.statusCode, retryAfterMs: retryAfterOf(answer.headers['retry-after']) }
  } catch (error) {
    return { error: faultText(error, signal) }
  } finally {
    // A connection that is still open would hold the process.
    void agent?.destroy().catch(() => undefined)
  }
}

/** Waits for a value, or fails when the time is over. */
function before<value>(signal: AbortSignal, work: Promise<value>): Promise<value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

/** The text of a failed request, without the words of the other side. */
function faultText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time'
  const { code = '' } = (error ?? {}) as { code?: string }
  if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA'].includes(code)) return 'the host has no address'
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'the certificate is not valid'
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'no answer in time'
  return 'the connection was closed'
}

/** The wait of a `Retry-After` header in ms: seconds or a date. `null` if it is neither. */
function retryAfterOf(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string') return null
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}
