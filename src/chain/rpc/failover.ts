import { AppError } from '../../domain/errors.ts'
import { backoffMs, wait } from '../../http/backoff.ts'
import type { ChainClient } from '../chain-client.ts'
import { maxBatchCalls, type OnBatchLimit, requestOutcomes } from './batch.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import {
  errorClassOf,
  isRecord,
  isWriteMethod,
  type ReplyOutcome,
  type RpcCall,
  resultsOf,
  unwrap,
  unwrapBatch,
} from './envelope.ts'
import { sendErrorClass } from './error-table.ts'
import { isTransientFault } from './errors.ts'
import { type KeptPlans, type OnPlan, withPacing } from './pacing.ts'
import { awaitsBlock, receiptAmong, syncSendMethod, syncSends } from './sync-send.ts'

/**
 * How long an endpoint may leave every request unanswered before it counts as silent, and how long it is skipped after a missed
 * deadline, in ms.
 */
export type SilenceLimits = { silentMs?: number; leftOutMs?: number }

/** What is known of an endpoint. Times are monotonic; `open` are the start times of unfinished exchanges. */
type EndpointHealth = { open: Set<{ since: number }>; answered: number; outUntil: number; failed: boolean }

/**
 * The endpoints of one chain, skipping for a while one that accepts requests and never answers: it fails at once with
 * RPC_UNREACHABLE as long as another one is up. Otherwise every request would wait for it again.
 */
export function withoutSilentEndpoints(
  endpoints: readonly Endpoint[],
  { silentMs, leftOutMs = 60_000 }: SilenceLimits & { silentMs: number },
): Endpoint[] {
  const known = endpoints.map(
    (): EndpointHealth => ({ open: new Set(), answered: -Infinity, outUntil: -Infinity, failed: false }),
  )
  const isSilent = ({ open, answered, outUntil }: EndpointHealth): boolean => {
    const now = performance.now()
    const oldest = Math.min(...[...open].map(({ since }) => since))
    return now < outUntil || now - Math.max(oldest, answered) > silentMs
  }
  const isUp = (one: EndpointHealth): boolean => !one.failed && !isSilent(one)
  return endpoints.map(({ host, exchange, beside }, at) => {
    const own = known[at]!
    return {
      host,
      ...(beside && { beside }),
      exchange: async (body, deadlineMs) => {
        if (isSilent(own) && known.some((other) => other !== own && isUp(other)))
          throw new AppError('RPC_UNREACHABLE', `The node at ${host} did not answer and is skipped for now`, {
            details: { host, fault: 'silent' },
          })
        const one = { since: performance.now() }
        own.open.add(one)
        try {
          const answer = await exchange(body, deadlineMs)
          Object.assign(own, { answered: performance.now(), outUntil: -Infinity, failed: false })
          return answer
        } catch (error) {
          own.failed = true
          const isDeadline = error instanceof AppError && error.details?.fault === 'deadline'
          const isLate = isDeadline && !awaitsBlock(body)
          // A refusal is an answer; and an endpoint that was slow once has answered others since.
          if (isLate && own.answered < one.since) own.outUntil = performance.now() + leftOutMs
          if (!isLate) own.answered = performance.now()
          throw error
        } finally {
          own.open.delete(one)
        }
      },
    }
  })
}

/**
 * The time limits of calls: `deadlineMs` for one exchange, `budgetMs` for a read with all retries and waits. With `chainId`, an
 * endpoint must confirm its chain before anything else, and again after `checkMs`; CHAIN_ID_MISMATCH otherwise.
 */
export type RpcOptions = {
  deadlineMs?: number
  budgetMs?: number
  retries?: number
  chainId?: number
  checkMs?: number
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
  onLimit?: OnBatchLimit
  plans?: KeptPlans
  onPlan?: OnPlan
} & SilenceLimits

/** One endpoint. Reads are retried on transport faults; transactions are never resent by themselves. */
export const httpRpc = (url: string, options: RpcOptions = {}): ChainClient =>
  readAndSendOver([withPacing(openEndpoint(url, options), url, options)], options)

/**
 * One chain behind several endpoints. A read uses the endpoint that answered last, and on a transport fault the next; signed bytes
 * go to all and are accepted if one accepts. A silent endpoint is skipped for a while.
 */
export function failoverRpc(urls: readonly string[], options: RpcOptions = {}): ChainClient {
  // The same endpoint twice would always agree with itself.
  const each = [...new Set(urls)]
  const { silentMs = 3_000 } = options
  const first = each.length > 1 && { firstMs: silentMs }
  const endpoints = each.map((url) => openEndpoint(url, { ...options, ...first }))
  const paced = withoutSilentEndpoints(endpoints, { ...options, silentMs }).map((one, at) =>
    withPacing(one, each[at]!, options),
  )
  return readAndSendOver(paced, options)
}

/** How long to wait for slower endpoints after one has accepted, in ms. */
const graceMs = 1_000

function readAndSendOver(endpoints: readonly Endpoint[], options: RpcOptions): ChainClient {
  const { deadlineMs = 10_000, budgetMs = Math.max(30_000, deadlineMs), retries = 4, signal } = options
  const [first] = endpoints
  if (!first) throw new AppError('CONFIG_INVALID', 'A chain needs the URL of an RPC')
  const order = [...endpoints]
  /** Another object after every change of who answers: also where it comes back to the same one. */
  let turn = {}
  // One of several endpoints is retried once, with less time than a single one.
  const each = { ...options, retries: Math.min(retries, 1) }
  const alone = new Map(
    endpoints.length > 1 ? endpoints.map((one) => [one, readAndSendOver([one], each)]) : [],
  )
  let lastId = 0
  const callOf = (method: string, params: readonly unknown[]): RpcCall => ({
    jsonrpc: '2.0',
    id: ++lastId,
    method,
    params,
  })

  /**
   * Reads until an endpoint answers: the next one at once, then all again after a delay. With `again`, an error that another endpoint
   * may not give counts as no answer, as long as one is left to ask.
   */
  const read = async (calls: readonly RpcCall[], again: boolean): Promise<ReplyOutcome[]> => {
    const until = performance.now() + budgetMs
    let most = retries + endpoints.length
    let held: ReplyOutcome[] | undefined
    for (let tried = 1; ; tried++) {
      const endpoint = order[0]!
      let failure: AppError | undefined
      try {
        const left = until - performance.now()
        // Leave part of the time to the endpoints that were not asked yet.
        const share = Math.max(deadlineMs, left / (endpoints.length - ((tried - 1) % endpoints.length)))
        const time = {
          deadlineMs: Math.min(deadlineMs, left),
          until: Math.min(until, performance.now() + share),
        }
        held = await requestOutcomes(endpoint, calls, time, options.onLimit)
        const asks = again ? timesToAsk(held, endpoints.length, retries) : 0
        if (asks === 0) return held
        most = Math.min(most, asks)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RPC_UNREACHABLE' || signal?.aborted) throw error
        failure = error
      }
      order.push(...order.splice(order.indexOf(endpoint), 1))
      if (order.length > 1) turn = {}
      const isRoundOver = tried % endpoints.length === 0
      const asked = failure?.details?.retryAfterMs
      const waitMs = isRoundOver ? (typeof asked === 'number' ? asked : backoffMs(tried)) : 0
      // An answer that is too large is so everywhere.
      const isTooMuch = isRoundOver && failure?.details?.fault === 'too-large'
      const isHopeless = isTooMuch || (failure && endpoints.length === 1 && !isTransientFault(failure))
      const isOver = isHopeless || tried >= most || performance.now() + waitMs >= until
      if (isOver && held) return held
      if (isOver) throw failure
      if (waitMs > 0)
        await wait(waitMs, signal).catch((aborted: unknown) => {
          throw failure ?? aborted
        })
    }
  }

  const readAll = async (calls: readonly RpcCall[], again: boolean): Promise<ReplyOutcome[]> => {
    // Equal reads of one moment have one answer, and each call of a batch counts in a node's plan.
    const names = calls.map(({ method, params }) => JSON.stringify([method, params]))
    const indexes = new Map<string, number>()
    for (const name of names) if (!indexes.has(name)) indexes.set(name, indexes.size)
    const each = [...new Map(calls.map((call, at) => [names[at]!, call])).values()]
    const parts = Array.from({ length: Math.ceil(each.length / maxBatchCalls) }, (_, at) =>
      each.slice(at * maxBatchCalls, (at + 1) * maxBatchCalls),
    )
    const outcomes = (await Promise.all(parts.map((part) => read(part, again)))).flat()
    if (each.length === calls.length) return outcomes
    return names.map((name) => copyOf(outcomes[indexes.get(name)!]!))
  }
  const together = coalesced(readAll, (outcomes) => timesToAsk(outcomes, endpoints.length, 1) > 0)
  const write = async (method: string, params: readonly unknown[], ms = deadlineMs): Promise<unknown> => {
    const call = callOf(method, params)
    return unwrap(first.host, await first.exchange(call, ms), call)
  }
  const sendOne = syncSends(first.host, deadlineMs, write)

  return {
    get host() {
      return order[0]!.host
    },
    get endpoint() {
      return turn
    },
    get peers() {
      return order.slice(1).map((endpoint) => alone.get(endpoint)!)
    },
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      if (alone.size > 0 && (method === 'eth_sendRawTransaction' || method === syncSendMethod))
        return (await firstAcceptance([...alone.values()].map((one) => one.request(method, params)))) as T
      if (method === syncSendMethod) return (await sendOne(params[0])) as T
      if (isWriteMethod(method)) return (await write(method, params)) as T
      const call = [callOf(method, params)]
      // Beside logs, every other read of the batch would go with each part of it.
      return resultsOf(await (method === 'eth_getLogs' ? readAll(call, true) : together(call)))[0] as T
    },
    batch: async (calls) => {
      if (calls.length === 0) return []
      const sent = calls.map(([method, params]) => callOf(method, params))
      if (sent.some(({ method }) => isWriteMethod(method)))
        return resultsOf(unwrapBatch(first.host, await first.exchange(sent, deadlineMs), sent))
      // Logs stay in the batch that shows whether the node has their blocks.
      const isOfLogs = sent.some(({ method }) => method === 'eth_getLogs')
      return resultsOf(await (isOfLogs ? readAll(sent, true) : together(sent)))
    },
  }
}

/** A copy of an outcome for another caller, who may change it. */
const copyOf = (outcome: ReplyOutcome): ReplyOutcome =>
  'error' in outcome ? outcome : { ...outcome, value: structuredClone(outcome.value) }

/** Calls that were asked for at the same moment, and who waits for them. */
type Waiting = {
  calls: readonly RpcCall[]
  resolve: (outcomes: ReplyOutcome[]) => void
  reject: (error: unknown) => void
}

/**
 * How often calls with these outcomes are asked in all; 0 if each has its answer. A failure of the node is asked like one without an
 * answer, but an internal error only once more: it may be the node's answer for ever. What a node does not have is asked of each once, and
 * of a single one twice: several nodes may answer for it. An error in unknown words is asked of each once, because gateways have words of
 * their own for their failures.
 */
function timesToAsk(outcomes: readonly ReplyOutcome[], endpoints: number, retries: number): number {
  const once = Math.min(retries, 1)
  const times = outcomes.map((outcome) => {
    const is = errorClassOf(outcome)
    if (is === 'temporary') return endpoints + retries
    if (is === 'internal' || is === 'crashed') return endpoints + once
    if (is === 'unknown') return endpoints > 1 ? endpoints : 0
    return is === 'missing' ? Math.max(endpoints, 1 + once) : 0
  })
  return Math.max(...times)
}

/**
 * Puts the reads that are asked for at the same moment into one batch: side by side they cost one request. Each is judged by itself: only
 * those with an error that another endpoint may not give are asked again. Where an endpoint fails the whole because of one of them, each
 * is asked by itself.
 */
function coalesced(
  readAll: (calls: readonly RpcCall[], again: boolean) => Promise<ReplyOutcome[]>,
  mayChange: (outcomes: readonly ReplyOutcome[]) => boolean,
): (calls: readonly RpcCall[]) => Promise<ReplyOutcome[]> {
  let waiting: Waiting[] = []
  const apart = ({ calls, resolve, reject }: Waiting) => readAll(calls, true).then(resolve, reject)
  /** Asks for all in one batch, and returns those that must be asked again. */
  const ask = async (asked: readonly Waiting[], again: boolean): Promise<Waiting[]> => {
    try {
      const outcomes = await readAll(
        asked.flatMap(({ calls }) => calls),
        again,
      )
      let at = 0
      return asked.filter(({ calls, resolve }) => {
        const own = outcomes.slice(at, at + calls.length)
        at += calls.length
        if (!again && mayChange(own)) return true
        resolve(own)
        return false
      })
    } catch (error) {
      if (isOfOneCall(error)) for (const one of asked) void apart(one)
      else for (const { reject } of asked) reject(error)
      return []
    }
  }
  const send = async () => {
    const asked = waiting
    waiting = []
    if (asked.length === 1) return apart(asked[0]!)
    const rest = await ask(asked, false)
    if (rest.length > 0) await ask(rest, true)
  }
  return (calls) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ calls, resolve, reject }) === 1) setImmediate(send)
    })
}

/** Whether an endpoint may have failed a batch because of one of its calls: a refusal by status, or one error in place of all. */
const isOfOneCall = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'RPC_UNREACHABLE' &&
  (['all', 'batch'].includes(String(error.details?.fault)) || !isTransientFault(error))

/**
 * The receipt if an endpoint has waited for it, or else the first acceptance, after a short wait for the others; otherwise "already
 * known"; otherwise the first refusal in order, unless it is about a nonce that the accepted transaction has used; otherwise the first
 * error.
 */
export async function firstAcceptance(sending: readonly Promise<unknown>[]): Promise<unknown> {
  const all = Promise.allSettled(sending)
  try {
    const accepted = await Promise.any(sending)
    // What is in a block needs no further acceptance.
    if (isRecord(accepted)) return accepted
    const others = await Promise.race([all, wait(graceMs)])
    return (others && receiptAmong(others)) ?? accepted
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error
    const refusals = error.errors.filter((one) => one instanceof AppError && one.code === 'RPC_ERROR')
    const classOf = (one: AppError) => sendErrorClass(String(one.details?.message))
    throw (
      refusals.find((one) => classOf(one) === 'known') ??
      refusals.find((one) => !['low', 'high'].includes(classOf(one) ?? '')) ??
      error.errors[0]
    )
  }
}
