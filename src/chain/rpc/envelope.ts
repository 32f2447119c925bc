import { AppError } from '../../domain/errors.ts'
import {
  isQuotaUsedUp,
  type NodeErrorBody,
  type ReadErrorClass,
  readErrorClass,
  sendErrorClass,
} from './error-table.ts'
import { isBatchTooLarge, temporaryFault } from './errors.ts'
import { checkedNumbers } from './quantities.ts'

/** One call as it is sent. */
export type RpcCall = { jsonrpc: '2.0'; id: number; method: string; params: readonly unknown[] }

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An invalid answer: RPC_UNREACHABLE, never treated as `null`. */
export const invalidAnswer = (host: string, what: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} answers with ${what}`, { details: { host } })

/** The text of an error, an object or a string, shortened. */
function errorText(error: unknown): string {
  const said = isRecord(error) ? error.message : error
  if (typeof said !== 'string' || said === '') return 'no message'
  return said.length > maxErrorLength ? `${said.slice(0, maxErrorLength)}…` : said
}

const maxErrorLength = 1_000

/** How long a busy node is left alone, in ms: rate limits count by the second. */
const busyPauseMs = 1_000

/** The fault of a refusal because of the rate. */
export const busyFault = 'busy'

/** A busy node gives no answer: RPC_UNREACHABLE, which is transient. */
const busyError = (host: string, message: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} is overloaded: ${message}`, {
    details: isQuotaUsedUp(message)
      ? { host, fault: 'refused' }
      : { host, retryAfterMs: busyPauseMs, fault: busyFault },
  })

/** What an error to a call means. A node that names the transaction's fault has judged it; any other error to a broadcast says nothing. */
function classOf(said: NodeErrorBody, method: string): ReadErrorClass {
  if (!isWriteMethod(method)) return readErrorClass(said, method)
  if (sendErrorClass(String(said.message)) !== undefined) return 'other'
  const found = readErrorClass(said, method)
  return found === 'missing' ? 'temporary' : found
}

/**
 * The result of one reply, after checking that it belongs to this call and has exactly one of result and error. An error is
 * RPC_ERROR; a busy node, or a failure of its own, is RPC_UNREACHABLE; an implausible number is RPC_INCONSISTENT.
 */
export function unwrap(host: string, reply: unknown, { id, method }: RpcCall): unknown {
  if (!isRecord(reply) || reply.jsonrpc !== '2.0') throw invalidAnswer(host, 'something that is not JSON-RPC')
  const hasError = reply.error !== undefined && reply.error !== null
  // An error without the call's id may be about reading it, or a missing key.
  if (reply.id === null && hasError)
    throw invalidAnswer(host, `an error without a request: ${errorText(reply.error)}`)
  if (reply.id !== id) throw invalidAnswer(host, 'the reply to another call')
  const hasResult = Object.hasOwn(reply, 'result')
  if (hasError === hasResult && !(hasError && reply.result === null))
    throw invalidAnswer(host, 'neither a result nor an error')
  if (!hasError) return checkedNumbers(host, method, reply.result)
  const error = isRecord(reply.error) ? reply.error : {}
  const message = errorText(reply.error)
  const is = classOf({ ...error, message }, method)
  if (is === 'busy') throw busyError(host, message)
  const isOwn = is === 'temporary' || is === 'internal'
  throw new AppError(isOwn ? 'RPC_UNREACHABLE' : 'RPC_ERROR', `${method} failed at ${host}: ${message}`, {
    details: {
      host,
      method,
      code: typeof error.code === 'number' ? error.code : null,
      message,
      data: error.data ?? null,
      ...(isOwn && { fault: temporaryFault }),
    },
  })
}

/** What the error of an outcome means; `undefined` for a result. */
export const errorClassOf = (outcome: ReplyOutcome): ReadErrorClass | undefined =>
  'error' in outcome
    ? readErrorClass(outcome.error.details ?? {}, String(outcome.error.details?.method))
    : undefined

/** The error for a refused batch: RPC_UNREACHABLE with the fault `batch`. */
export const batchRefusedError = (host: string, count: number, message: string): AppError =>
  new AppError('RPC_UNREACHABLE', `The node at ${host} does not accept ${count} calls at once: ${message}`, {
    details: { host, fault: 'batch' },
  })

/** The outcome of one call of a batch: its result, or the error that is about this call alone. */
export type ReplyOutcome = { value: unknown } | { error: AppError }

/** The outcome of one reply. A node that gave no reply to it, or is busy, throws: RPC_UNREACHABLE. */
export function replyOutcome(host: string, reply: unknown, call: RpcCall): ReplyOutcome {
  try {
    return { value: unwrap(host, reply, call) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'RPC_UNREACHABLE' || error.details?.fault === temporaryFault) return { error }
    throw error
  }
}

/**
 * The outcomes of a batch in the order of its calls, for replies in any order. One error in place of all is a refusal of the batch,
 * and so is another number of replies.
 */
export function unwrapBatch(host: string, replies: unknown, calls: readonly RpcCall[]): ReplyOutcome[] {
  const whole = Array.isArray(replies) && replies.length === 1 && calls.length > 1 ? replies[0] : replies
  if (isRecord(whole) && whole.error) {
    const message = errorText(whole.error)
    const error = { ...(isRecord(whole.error) && whole.error), message }
    if (isBatchTooLarge(error)) throw batchRefusedError(host, calls.length, message)
    if (readErrorClass(error, 'batch') === 'busy') throw busyError(host, message)
    throw new AppError(
      'RPC_UNREACHABLE',
      `The node at ${host} answers with an error to ${calls.length} calls at once: ${message}`,
      { details: { host, fault: 'all' } },
    )
  }
  if (!Array.isArray(replies) || replies.length !== calls.length)
    throw batchRefusedError(host, calls.length, 'another number of replies')
  const byId = new Map(replies.map((reply: unknown) => [isRecord(reply) ? reply.id : undefined, reply]))
  return calls.map((call) => replyOutcome(host, byId.get(call.id), call))
}

/** The results of outcomes; the first error is thrown. */
export const resultsOf = (outcomes: readonly ReplyOutcome[]): unknown[] =>
  outcomes.map((outcome) => {
    if ('error' in outcome) throw outcome.error
    return outcome.value
  })

/** Whether a method changes something: it is sent once, and to a node that has confirmed its chain. */
export const isWriteMethod = (method: string): boolean => /^(eth_send|anvil_|evm_)/.test(method)
