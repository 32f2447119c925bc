import { AppError } from '../../domain/errors.ts'
import { callsPerBatch } from '../chain-client.ts'
import type { Endpoint } from './endpoint.ts'
import {
  batchRefusedError,
  busyFault,
  invalidAnswer,
  isRecord,
  type ReplyOutcome,
  type RpcCall,
  replyOutcome,
  unwrap,
  unwrapBatch,
} from './envelope.ts'

/** The batch sizes, largest first; smaller ones for endpoints that refuse more: public ones take a hundred, three, or no batch. */
const batchSizes = [callsPerBatch, 25, 10, 3, 1]

/** The most calls of one `requestOutcomes`. */
export const maxBatchCalls = batchSizes[0]!

/** How many exchanges run in parallel. */
const maxParallel = 8

/**
 * The batch size that an endpoint accepted after refusing more, and until when (monotonic) it is used: the refusal may be
 * temporary.
 */
const acceptedSizes = new WeakMap<Endpoint, { size: number; until: number }>()
const acceptedSizeMs = 600_000

/** Called once when an endpoint turns out to take only so many calls in one exchange. */
export type OnBatchLimit = (limit: { host: string; calls: number }) => void

type Time = { deadlineMs: number; until: number }

const leftOf = ({ deadlineMs, until }: Time): number => Math.min(deadlineMs, until - performance.now())

/**
 * The outcomes of up to a hundred calls in order, in as few exchanges as the endpoint allows. Logs are always requested together
 * with the other calls of their batch, which show whether the node has those blocks. `deadlineMs` is for one exchange, `until`
 * (monotonic) for all. `onLimit` is told of an endpoint that takes fewer calls than were known.
 */
export async function requestOutcomes(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
  time: Time,
  onLimit?: OnBatchLimit,
): Promise<ReplyOutcome[]> {
  const known = acceptedSizes.get(endpoint)
  const most = known && performance.now() < known.until ? known.size : maxBatchCalls
  let refusal: unknown
  for (const size of [most, ...batchSizes.filter((one) => one < Math.min(most, calls.length))])
    try {
      const outcomes = await inParts(endpoint, calls, size, time)
      if (size < most) onLimit?.({ host: endpoint.host, calls: size })
      return outcomes
    } catch (error) {
      refusal = error
      if (faultOf(error) !== 'batch') break
    }
  const logs = calls.find(({ method }) => method === 'eth_getLogs')
  // The refusal may be about too many logs: they are requested separately, and that result does not affect the size.
  if (logs && ['batch', 'all'].includes(String(faultOf(refusal))))
    try {
      unwrap(endpoint.host, await endpoint.exchange(logs, leftOf(time)), logs)
    } catch (error) {
      if (error instanceof AppError && error.code === 'RPC_ERROR' && isLogLimit(error)) throw error
    }
  throw refusal
}

async function inParts(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
  size: number,
  time: Time,
): Promise<ReplyOutcome[]> {
  const { host, exchange, most = () => maxBatchCalls } = endpoint
  const others = calls.filter(({ method }) => method !== 'eth_getLogs')
  const anchors = others.length < calls.length ? others : []
  const rest = calls.filter((call) => !anchors.includes(call))
  const room = size - anchors.length
  if (room < 1)
    throw batchRefusedError(host, anchors.length + 1, 'logs are asked for together with their block')
  const slicesOf = (of: readonly RpcCall[]): (readonly RpcCall[])[] => {
    const each = Math.max(1, Math.min(room, most() - anchors.length))
    return Array.from({ length: Math.ceil(of.length / each) }, (_, at) =>
      of.slice(at * each, (at + 1) * each),
    )
  }
  const answers = new Map<RpcCall, ReplyOutcome>()
  const outcomesOf = async (part: readonly RpcCall[]): Promise<ReplyOutcome[]> => {
    const [only, ...more] = part
    const left = leftOf(time)
    return only && more.length === 0
      ? [replyOutcome(host, await exchange(only, left, time.until), only)]
      : unwrapBatch(host, await exchange(part, left, time.until), part)
  }
  const ask = async (slice: readonly RpcCall[]): Promise<void> => {
    const part = [...anchors, ...slice]
    const said = await outcomesOf(part).catch((error: unknown) => error)
    if (!Array.isArray(said)) {
      // The refusal has made the plan smaller: the same calls may pass in smaller parts, each when its turn comes.
      const smaller = faultOf(said) === busyFault ? slicesOf(slice) : []
      if (smaller.length < 2) throw said
      return all(smaller)
    }
    if (size < maxBatchCalls) acceptedSizes.set(endpoint, { size, until: performance.now() + acceptedSizeMs })
    for (const [at, call] of part.entries()) {
      const known = answers.get(call)
      if (known && nameOf(known) !== nameOf(said[at]!))
        throw invalidAnswer(host, `two answers to ${call.method}, from two nodes`)
      answers.set(call, said[at]!)
    }
  }
  const all = async (slices: (readonly RpcCall[])[]): Promise<void> => {
    for (let at = 0; at < slices.length; at += maxParallel)
      await Promise.all(slices.slice(at, at + maxParallel).map(ask))
  }
  await all(slicesOf(rest))
  return calls.map((call) => answers.get(call)!)
}

/** Whether a refusal is about the number of logs and not about the caller's rate. */
const isLogLimit = ({ details }: AppError): boolean =>
  /range|results?\b|logs?\b|blocks?\b|large|limit|exceed/i.test(String(details?.message))

/** The fault of a batch answer: `batch` if it is too large, `all` for one error in place of all answers. */
const faultOf = (error: unknown): unknown => (error instanceof AppError ? error.details?.fault : undefined)

/** The identity of an answer for comparison: a block by its hash, since nodes format the rest differently. */
const nameOf = (outcome: ReplyOutcome): string => {
  if ('error' in outcome) return outcome.error.message
  const { value } = outcome
  return isRecord(value) && typeof value.hash === 'string' ? value.hash.toLowerCase() : JSON.stringify(value)
}
