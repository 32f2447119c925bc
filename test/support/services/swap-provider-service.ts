import { afterEach } from 'vitest'
import { exchangeJson } from '../../../src/http/client.ts'
import { type Answer, type Loopback, serveLoopback } from '../../../src/sandbox/loopback-server.ts'
import type { SwapDependencies } from '../../../src/swaps/provider-dependencies.ts'

/** What a test lets the service of a provider answer. */
export type Answering = (...asked: Parameters<Parameters<typeof serveLoopback>[0]>) => Answered
type Answered = Answer | 'drop' | Promise<Answer | 'drop'>

/** A service of a test on loopback, closed after it; gives its base URL. */
export function useProviderService(): (answer: Answering) => Promise<string> {
  let server: Loopback | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })
  return async (answer) => {
    await server?.close()
    server = await serveLoopback(answer)
    return server.url
  }
}

/** Asks a service as the program does, with less patience than it has. */
export const exchangeSoon: SwapDependencies['exchangeJson'] = ({ url, body, headers, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, {
    headers: headers ?? {},
    deadlineMs: 5_000,
    ...(signal && { signal }),
  })

/** How any service can fail, and what is said of it. */
export const serviceFailures: readonly [name: string, answer: () => Answered, message: RegExp][] = [
  ['a failure', () => ({ status: 503, body: {} }), /the HTTP status 503/],
  [
    'a limit',
    () => ({ status: 429, body: {}, headers: { 'retry-after': '7' } }),
    /takes the next one in 7 s/,
  ],
  ['a limit without a time', () => ({ status: 429, body: {} }), /limits the requests$/],
  [
    'a limit with nonsense',
    () => ({ status: 429, body: {}, headers: { 'retry-after': 'soon' } }),
    /limits the requests$/,
  ],
  ['a connection that breaks', () => 'drop', /does not answer as it should/],
  [
    'a body that ends too early',
    () => ({ status: 200, body: {}, headers: { 'content-length': '99', connection: 'close' } }),
    /does not answer as it should/,
  ],
  ['nothing', () => new Promise(() => undefined), /does not answer as it should/],
]
