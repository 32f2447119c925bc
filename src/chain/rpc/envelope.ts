import { AppError } from '../../domain/errors.ts'
import { checkedNumbers } from './answer-numbers.ts'
import { isBatchTooLarge, isNodeBusy } from './errors.ts'

/** One call as it goes over the wire. */
export type RpcCall = { jsonrpc: '2.0'; id: number; method: string; params: readonly unknown[] }

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An answer that is none: RPC_UNREACHABLE, and never "null". */
export const invalidAnswer = (host: string, what: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} answers with ${what}`, { details: { host } })

/** What an error says, be it an object or words alone; as much of it as somebody reads. */
function wordsOf(error: unknown): string {
  const said = isRecord(error) ? error.message : error
  if (typeof said !== 'string' || said === '') return 'no message'
  return said.length > mostWords ? `${said.slice(0, mostWords)}…` : said
}

const mostWords = 1_000

/** How long a node is left alone that has too much to do, in ms: limits are counted by the second. */
const busyMs = 1_000

/** A node that has too much to do gives no answer: RPC_UNREACHABLE, which may pass. */
const busy = (host: string, message: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} has too much to do: ${message}`, {
    details: { host, retryAfterMs: busyMs },
  })

/** The result inside one reply, after checking that it is the reply to this call and exactly one of result and error; an error is RPC_ERROR, where it says no more than that there is too much to do RPC_UNREACHABLE, and an impossible number RPC_INCONSISTENT. */
export function unwrap(host: string, reply: unknown, { id, method }: RpcCall): unknown {
  if (!isRecord(reply) || reply.jsonrpc !== '2.0') throw invalidAnswer(host, 'something that is not JSON-RPC')
  const hasError = reply.error !== undefined && reply.error !== null
  // Whoever does not say what was refused may not have read it, or asks for a key.
  if (reply.id === null && hasError)
    throw invalidAnswer(host, `an error to nothing that was asked: ${wordsOf(reply.error)}`)
  if (reply.id !== id) throw invalidAnswer(host, 'the reply to another call')
  const hasResult = Object.hasOwn(reply, 'result')
  if (hasError === hasResult && !(hasError && reply.result === null))
    throw invalidAnswer(host, 'neither a result nor an error')
  if (!hasError) return checkedNumbers(host, method, reply.result)
  const error = isRecord(reply.error) ? reply.error : {}
  const message = wordsOf(reply.error)
  if (isNodeBusy({ ...error, message }, method)) throw busy(host, message)
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

/** A node, or what stands before it, that does not take so many calls at once: RPC_UNREACHABLE with the fault `batch`. */
export const batchRefusedError = (host: string, count: number, message: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} does not take ${count} calls at once: ${message}`, {
    details: { host, fault: 'batch' },
  })

/** The results of a batch in the order of its calls, whatever the order of the replies. One error in the place of all of them is a refusal of the batch. */
export function unwrapBatch(host: string, replies: unknown, calls: readonly RpcCall[]): unknown[] {
  const whole = Array.isArray(replies) && replies.length === 1 && calls.length > 1 ? replies[0] : replies
  if (isRecord(whole) && whole.error) {
    const message = wordsOf(whole.error)
    const error = { ...(isRecord(whole.error) && whole.error), message }
    if (isBatchTooLarge(error)) throw batchRefusedError(host, calls.length, message)
    if (isNodeBusy(error, 'batch')) throw busy(host, message)
    throw new AppError(
      'RPC_UNREACHABLE',
      `The node at ${host} answers with an error to ${calls.length} calls at once: ${message}`,
      { details: { host, fault: 'all' } },
    )
  }
  if (!Array.isArray(replies) || replies.length !== calls.length)
    throw invalidAnswer(host, 'another number of replies')
  const byId = new Map(replies.map((reply: unknown) => [isRecord(reply) ? reply.id : undefined, reply]))
  return calls.map((call) => unwrap(host, byId.get(call.id), call))
}
