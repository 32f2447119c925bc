import { createRequire } from 'node:module'
import { Agent, type Dispatcher } from 'undici'

const options = { connections: 16, keepAliveTimeout: 4_000 }

/** The names of this machine, which no proxy is asked for. */
const loopback = ['localhost', '127.0.0.1', '::1']

const { env } = process
const hasProxy = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => env[name])
const load = createRequire(import.meta.url)
// Most machines have no proxy, and then its code is not loaded. The chunks of the build have only the agent of undici, so the rest comes from a file of its own.
const EnvHttpProxyAgent = hasProxy
  ? (load('undici') as typeof import('undici')).EnvHttpProxyAgent
  : undefined

/**
 * Creates a connection pool of the caller's own, so that no global dispatcher can intercept the requests. It obeys `HTTPS_PROXY`, `HTTP_PROXY`
 * and `NO_PROXY`, in either case, but reaches this machine directly.
 */
export function newDispatcher(): Dispatcher {
  if (!EnvHttpProxyAgent) return new Agent(options)
  const noProxy = [env.no_proxy ?? env.NO_PROXY ?? '', ...loopback].filter((name) => name !== '').join(',')
  return new EnvHttpProxyAgent({ ...options, noProxy })
}
