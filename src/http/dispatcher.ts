import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type { Dispatcher } from 'undici'
import { AppError } from '../domain/errors.ts'

const options = { connections: 16, keepAliveTimeout: 4_000 }

/** The names of this machine, which no proxy is asked for. */
const loopback = ['localhost', '127.0.0.1', '::1']

const { env } = process

/** A proxy setting: the variable that is set, and its value. As for curl, an empty one is not set, and the one in lower case comes first. */
function setting(name: string): { variable: string; value: string } | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = env[variable]?.trim()
    if (value) return { variable, value }
  }
  return undefined
}

const [overHttps, overHttp] = [setting('HTTPS_PROXY'), setting('HTTP_PROXY')]
// Most machines have no proxy, and then its code is not loaded. The chunks of the build have only the agent of undici, so the rest comes from a file of its own.
const load = createRequire(import.meta.url)
const EnvHttpProxyAgent =
  overHttps || overHttp ? (load('undici') as typeof import('undici')).EnvHttpProxyAgent : undefined

/** The URL of a proxy; one without a scheme is asked over HTTP, as by curl. CONFIG_INVALID without its value, which may have a password. */
function proxyUrl({ variable, value }: { variable: string; value: string }): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (url && /^(https?|socks5?):$/.test(url.protocol) && url.hostname !== '') return url
  throw new AppError('CONFIG_INVALID', `${variable} is not the URL of a proxy`, {
    next: `export ${variable}=http://proxy.example.com:3128`,
  })
}

/** Sends requests over connections of its own. */
export type Connections = Pick<Dispatcher, 'request' | 'close' | 'destroy'>

/**
 * Creates a connection pool of the caller's own, so that no global dispatcher can intercept the requests. It obeys `HTTPS_PROXY`, `HTTP_PROXY`
 * and `NO_PROXY`, in either case, but reaches this machine directly. It is opened by the first request, which throws CONFIG_INVALID for a proxy
 * that is no URL: many processes, such as the signer, send none and do not load undici.
 */
export function newDispatcher(): Connections {
  let opened: Promise<Dispatcher> | undefined
  const open = () => {
    opened ??= openDispatcher()
    return opened
  }
  // What could not be opened has told so by its request.
  const ifOpen = () => opened?.catch(() => undefined)
  return {
    request: async (options: Dispatcher.RequestOptions) => (await open()).request(options),
    close: async () => (await ifOpen())?.close(),
    destroy: async () => (await ifOpen())?.destroy(),
  } as Connections
}

async function openDispatcher(): Promise<Dispatcher> {
  if (!EnvHttpProxyAgent) return new (await import('undici')).Agent(options)
  const [httpsProxy, httpProxy] = [overHttps, overHttp].map((one) => (one ? proxyUrl(one).href : ''))
  if ([httpsProxy, httpProxy].some((url) => url?.startsWith('socks'))) silenceSocksWarning()
  const own = setting('NO_PROXY')?.value
  const noProxy = [...(own === undefined ? [] : [own]), ...loopback].join(',')
  return new EnvHttpProxyAgent({ ...options, httpsProxy: httpsProxy!, httpProxy: httpProxy!, noProxy })
}

/** Leaves out the warning of undici that its SOCKS proxies are experimental: a person can do nothing about it. Other warnings are printed. */
function silenceSocksWarning(): void {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...more: never[]) => {
    if (!/^SOCKS5 proxy support is experimental/.test(String(warning)))
      Reflect.apply(emitWarning, process, [warning, ...more])
  }) as typeof emitWarning
}

/** All errors within an error: its causes, and the attempts for each address. */
const within = (error: unknown): Error[] =>
  error instanceof Error
    ? [
        error,
        ...within(error.cause),
        ...(error instanceof AggregateError ? error.errors.flatMap(within) : []),
      ]
    : []

/** What a failed request says of its proxy: the status by which it refuses the tunnel, or that it cannot be reached; `undefined` if it is not about one. */
export function proxyFlaw(error: unknown): { text: string; isRefusal: boolean } | undefined {
  for (const setting of [overHttps, overHttp]) {
    if (!setting) continue
    const { host, hostname, port, protocol } = proxyUrl(setting)
    const named = `The proxy ${host} of ${setting.variable}`
    for (const one of within(error)) {
      const [, status] = /^Proxy response \((\d{3})\)/.exec(one.message) ?? []
      if (status !== undefined)
        return { text: `${named} answers with HTTP status ${status}`, isRefusal: status.startsWith('4') }
      const to = one as { address?: string; port?: number; hostname?: string }
      const isThere = to.port === Number(port || (protocol === 'https:' ? 443 : 80))
      const isIts = isThere && (isIP(hostname) === 0 || to.address === hostname)
      if (isIts || to.hostname === hostname) return { text: `${named} cannot be reached`, isRefusal: false }
    }
  }
  return undefined
}
