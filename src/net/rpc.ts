import { AppError } from '../domain/errors.ts'
import {
  backoffMs,
  exchangeJson,
  type HttpAnswer,
  hostOf,
  newDispatcher,
  retryAfterMs,
  wait,
} from './http.ts'

/** One JSON-RPC endpoint. Answers are not validated beyond the envelope: parse them where they are used. */
export type Rpc = {
  /** The only part of the URL that may be shown. */
  host: string
  /** One call. An error answer is RPC_ERROR with `{ code, message, data }`; no answer is RPC_UNREACHABLE. */
  request: <T = unknown>(method: string, params?: readonly unknown[]) => Promise<T>
  /** Several reads in one HTTP exchange; the first error answer is thrown. */
  batch: (calls: readonly (readonly [method: string, params: readonly unknown[]])[]) => Promise<unknown[]>
}

type Envelope = { jsonrpc: '2.0'; id: number; method: string; params: readonly unknown[] }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nonsense = (host: string, what: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} answers with ${what}`, { details: { host } })

/** The result inside one reply, after checking that it is the reply to this call and exactly one of result and error. */
function unwrap(host: string, reply: unknown, id: number, method: string): unknown {
  if (!isRecord(reply) || reply.jsonrpc !== '2.0') throw nonsense(host, 'something that is not JSON-RPC')
  if (reply.id !== id) throw nonsense(host, 'the reply to another call')
  const hasError = reply.error !== undefined && reply.error !== null
  const hasResult = Object.hasOwn(reply, 'result')
  if (hasError === hasResult && !(hasError && reply.result === null))
    throw nonsense(host, 'neither a result nor an error')
  if (!hasError) return reply.result
  const error = isRecord(reply.error) ? reply.error : {}
  const message = typeof error.message === 'string' ? error.message : 'no message'
  throw new AppError('RPC_ERROR', `${method} failed at ${host}: ${message}`, {
    details: {
      host,
      method,
      code: typeof error.code === 'number' ? error.code : null,
      message,
      data: error.data ?? null,
    },
  })
}

const writes = (method: string): boolean => method.startsWith('eth_send') || method.startsWith('anvil_')

/** JSON-RPC over strict HTTP. Reads are tried again on transport faults; what sends is never sent twice by itself. */
export function httpRpc(
  url: string,
  options: { deadlineMs?: number; retries?: number; signal?: AbortSignal } = {},
): Rpc {
  const { deadlineMs = 10_000, retries = 4, signal } = options
  const host = hostOf(url)
  const dispatcher = newDispatcher()
  let lastId = 0

  const exchange = async (body: unknown, mayRetry: boolean): Promise<unknown> => {
    for (let tried = 1; ; tried++) {
      let waitMs = backoffMs(tried)
      let failure: AppError
      try {
        const answer = await exchangeJson('POST', url, body, {
          dispatcher,
          deadlineMs,
          ...(signal ? { signal } : {}),
        })
        if (answer.status === 200 && answer.body !== undefined) return answer.body
        if (isRecord(answer.body) && answer.body.jsonrpc === '2.0') return answer.body
        waitMs = retryAfterMs(answer.headers['retry-after'], Date.now()) ?? waitMs
        failure = refused(host, answer)
        if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) throw failure
      } catch (error) {
        if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') throw error
        failure = unreachable(host, error)
      }
      if (!mayRetry || tried > retries || signal?.aborted) throw failure
      await wait(waitMs, signal).catch(() => {
        throw failure
      })
    }
  }

  const envelope = (method: string, params: readonly unknown[]): Envelope => ({
    jsonrpc: '2.0',
    id: ++lastId,
    method,
    params,
  })

  return {
    host,
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const call = envelope(method, params)
      return unwrap(host, await exchange(call, !writes(method)), call.id, method) as T
    },
    batch: async (calls) => {
      if (calls.length === 0) return []
      const sent = calls.map(([method, params]) => envelope(method, params))
      const replies = await exchange(sent, !calls.some(([method]) => writes(method)))
      if (!Array.isArray(replies) || replies.length !== sent.length)
        throw nonsense(host, 'another number of replies')
      const byId = new Map(replies.map((reply: unknown) => [isRecord(reply) ? reply.id : undefined, reply]))
      return sent.map((call) => unwrap(host, byId.get(call.id), call.id, call.method))
    },
  }
}

const refused = (host: string, answer: HttpAnswer): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} answers with HTTP status ${answer.status}`, {
    details: { host, status: answer.status },
  })

const unreachable = (host: string, cause: unknown): AppError =>
  new AppError(
    'RPC_UNREACHABLE',
    `The node at ${host} cannot be used: ${cause instanceof Error ? cause.message : 'no answer'}`,
    {
      details: { host },
      cause,
    },
  )
