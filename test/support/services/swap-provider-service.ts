import { afterEach } from 'vitest'
import { exchangeJson } from '../../../src/http/client.ts'
import { type Loopback, type LoopbackAnswer, serveLoopback } from '../../../src/sandbox/loopback-server.ts'
import type { SwapDependencies } from '../../../src/swaps/provider-dependencies.ts'

/** Answers one request to the provider API of a test. */
export type Answering = (...asked: Parameters<Parameters<typeof serveLoopback>[0]>) => Answered
type Answered = LoopbackAnswer | 'drop' | Promise<LoopbackAnswer | 'drop'>

/** A provider API on loopback, closed after each test; returns its base URL. */
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

/** Sends a request like the program, with a shorter timeout. */
export const exchangeSoon: SwapDependencies['exchangeJson'] = ({ url, body, headers, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, {
    headers: headers ?? {},
    deadlineMs: 5_000,
    ...(signal && { signal }),
  })

/** Failures that any API can have, with the message that the provider reports. */
export const serviceFailures: readonly [name: string, answer: () => Answered, message: RegExp][] = [
  ['HTTP 503', () => ({ status: 503, body: {} }), /the HTTP status 503/],
  [
    'HTTP 429 with a retry-after',
    () => ({ status: 429, body: {}, headers: { 'retry-after': '7' } }),
    /accepts the next one in 7 s/,
  ],
  ['HTTP 429 without a retry-after', () => ({ status: 429, body: {} }), /limits requests$/],
  [
    'HTTP 429 with an unreadable retry-after',
    () => ({ status: 429, body: {}, headers: { 'retry-after': 'soon' } }),
    /limits requests$/,
  ],
  ['a dropped connection', () => 'drop', /returned an invalid response/],
  [
    'a body shorter than its content-length',
    () => ({ status: 200, body: {}, headers: { 'content-length': '99', connection: 'close' } }),
    /returned an invalid response/,
  ],
  ['no response', () => new Promise(() => undefined), /returned an invalid response/],
]
