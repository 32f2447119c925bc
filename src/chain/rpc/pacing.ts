import { AppError } from '../../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { busyFault, isRecord } from './envelope.ts'
import { isTooFast, type NodeErrorBody } from './error-table.ts'

/** What an endpoint allows, as its answers have shown: calls a second, and when it refused more for the last time (epoch ms). */
export type CallPlan = { callsPerSecond: number; refusedAt: number }

/** Where plans are kept for other processes, by URL. Neither fails. */
export type KeptPlans = {
  find: (url: string) => CallPlan | undefined
  keep: (url: string, plan: CallPlan) => void
}

/** Called when a plan is learned or recalled. */
export type OnPlan = (plan: { host: string; callsPerSecond: number; isRecalled: boolean }) => void

/** A refusal because of the rate: the wait in ms that the node asks for, its words and its data. */
type RateRefusal = { waitMs?: number; words: string; data?: unknown }

/** The waits of this process for plans, on the monotonic clock: how many last, since when, and the time of those that are over. */
const waits = { open: 0, since: 0, overMs: 0 }

/** How long this process has waited for the plans of its nodes, in ms; waits at the same time count once. */
export const pacedMs = (): number => waits.overMs + (waits.open > 0 ? performance.now() - waits.since : 0)

/** Counts the time of a wait for a plan. */
async function counted(wait: Promise<void>): Promise<void> {
  if (waits.open++ === 0) waits.since = performance.now()
  try {
    await wait
  } finally {
    if (--waits.open === 0) waits.overMs += performance.now() - waits.since
  }
}

/** The calls of one exchange, and before it: the number of plans that were learned, and of refusals since the last accepted call. */
type Turn = { calls: number; plans: number; refusals: number }

/** Sends the calls of one endpoint no faster than its plan allows. Each call of a batch counts. */
type Pacer = {
  /** The most calls of one exchange. */
  most: () => number
  /** Waits until so many calls may be sent, and counts them until `answered`. RPC_UNREACHABLE if that is after `until` (monotonic). */
  take: (calls: number, until: number) => Promise<Turn>
  /** Ends what `take` began. A refusal makes the plan smaller, unless it was made smaller meanwhile; a single one without a rate is no plan. */
  answered: (turn: Turn, refusal: RateRefusal | undefined) => void
}

/** Rate limits count by the second. */
const windowMs = 1_000

/** After so many seconds at the full rate without a refusal, the rate grows by a quarter. */
const secondsBeforeMore = 5

/** How long the lowest refused rate is an upper bound, in ms: a plan may be changed. */
const boundMs = 600_000

/** The fewest refused calls that are such a bound: of a few calls, others may have used up the second. */
const leastBound = 8

/** The calls a second that a node states in its words or its data (`allowed_rps`: Infura). */
function statedRate({ words, data }: RateRefusal): number | undefined {
  const rate = isRecord(data) && isRecord(data.rate) ? data.rate.allowed_rps : undefined
  if (typeof rate === 'number' && rate >= 1) return Math.floor(rate)
  const said =
    /\b([1-9]\d{0,5}) ?((requests?|calls?|reqs?) ?)?(\/ ?s(ec(ond)?)?\b|per sec(ond)?\b|rps\b)/i.exec(words)
  return said ? Number(said[1]) : undefined
}

/**
 * Learns the plan of an endpoint from its answers: a refusal sets the rate that it states, or else halves the rate; accepted calls raise it
 * slowly. A call counts from its start until a second after its answer, so that no second at the node has more.
 */
function newPacer({
  host,
  recall,
  keep,
  onPlan,
}: {
  host: string
  recall?: (() => CallPlan | undefined) | undefined
  keep?: ((plan: CallPlan) => void) | undefined
  onPlan?: OnPlan | undefined
}): Pacer {
  let rate = Number.POSITIVE_INFINITY
  let refused = { rate: Number.POSITIVE_INFINITY, at: Number.NEGATIVE_INFINITY }
  let isRecalled = false
  let plans = 0
  /** The refusals since the last accepted call. */
  let refusals = 0
  let open = 0
  let done: { calls: number; at: number }[] = []
  /** The calls since the last refusal or growth. */
  let since = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let queue: Promise<unknown> = Promise.resolve()
  let wake = () => {}

  const recent = (): number => {
    const now = performance.now()
    done = done.filter(({ at }) => now - at < windowMs)
    return done.reduce((sum, { calls }) => sum + calls, 0)
  }
  const learn = (callsPerSecond: number) => {
    rate = callsPerSecond
    since = 0
    plans++
    keep?.({ callsPerSecond, refusedAt: Date.now() })
    onPlan?.({ host, callsPerSecond, isRecalled: false })
  }
  /** Learns from the refusal of so many calls in a second. */
  const shrink = (used: number, isRepeated: boolean, stated = Number.POSITIVE_INFINITY) => {
    if (used >= leastBound) refused = { rate: Math.min(rate, used), at: performance.now() }
    if (stated < rate) learn(stated)
    // Public nodes refuse a call now and then, at any rate.
    else if (rate === Number.POSITIVE_INFINITY && !isRepeated) return
    else if (rate === Number.POSITIVE_INFINITY) learn(Math.max(1, Math.floor(used / 2)))
    // Fewer calls, or the rate that the node states: others use the same plan.
    else if (used > rate / 2 && (stated > rate || refusals > 0)) learn(Math.max(1, Math.floor(rate / 2)))
  }
  /** Learns from accepted calls. */
  const grow = (calls: number) => {
    if (rate === Number.POSITIVE_INFINITY) return
    since += calls
    const more = rate + Math.ceil(rate / 4)
    const isAllowed = more < refused.rate || performance.now() - refused.at > boundMs
    if (since > rate * secondsBeforeMore && isAllowed) learn(more)
  }
  const recallOnce = () => {
    if (isRecalled) return
    isRecalled = true
    const plan = recall?.()
    if (!plan) return
    rate = plan.callsPerSecond
    onPlan?.({ host, callsPerSecond: rate, isRecalled: true })
  }
  const refusedBefore = (calls: number) =>
    new AppError('RPC_UNREACHABLE', `The node at ${host} allows fewer than ${calls} calls a second`, {
      details: { host, fault: busyFault, retryAfterMs: windowMs },
    })
  const mayStart = (calls: number): boolean => {
    const used = open + recent()
    return performance.now() >= pausedUntil && (used === 0 || used + calls <= rate)
  }
  /** Waits until the next call may be possible: the end of a pause or of a second, or an answer. */
  const change = async (until: number): Promise<void> => {
    const now = performance.now()
    const next = Math.max(pausedUntil, (done[0]?.at ?? now + windowMs) + windowMs, now + 1)
    if (Math.max(pausedUntil, now) > until || (now >= until && rate < Number.POSITIVE_INFINITY))
      throw new AppError('RPC_UNREACHABLE', `The node at ${host} allows too few calls in this time`, {
        details: { host, fault: 'paced', retryAfterMs: Math.ceil(next - now), callsPerSecond: rate },
      })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(next, until + 1) - now)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  const start = async (calls: number, until: number, couldStart: boolean): Promise<void> => {
    while (!mayStart(calls)) await change(until)
    // Made for a larger plan: smaller parts may pass.
    if (couldStart && calls > rate) throw refusedBefore(calls)
    open += calls
  }
  return {
    most: () => {
      recallOnce()
      return rate
    },
    take: async (calls, until) => {
      recallOnce()
      if (rate === Number.POSITIVE_INFINITY && performance.now() >= pausedUntil) {
        open += calls
        return { calls, plans, refusals }
      }
      const couldStart = calls <= rate
      const begun = queue.then(() => start(calls, until, couldStart))
      queue = begun.catch(() => undefined)
      const before = refusals
      await counted(begun)
      return { calls, plans, refusals: before }
    },
    answered: ({ calls, plans: known, refusals: before }, refusal) => {
      const used = open + recent()
      open -= calls
      const now = performance.now()
      done.push({ calls, at: now })
      if (refusal) {
        // A call that is refused alone says nothing about a rate.
        pausedUntil = Math.max(pausedUntil, now + (refusal.waitMs ?? (used > 1 ? windowMs : 0)))
        // More calls than the plan, which cannot be sent in parts, say nothing about it.
        const isWithin = calls <= rate
        if (used > 1 && known === plans && isWithin) shrink(used, before > 0, statedRate(refusal))
        refusals++
      } else {
        refusals = 0
        grow(calls)
      }
      wake()
    },
  }
}

/** The refusal for the rate among the errors that an answer has, if there is one. */
function refusalIn(answer: unknown): RateRefusal | undefined {
  for (const reply of [answer].flat()) {
    const error = isRecord(reply) && isRecord(reply.error) ? (reply.error as NodeErrorBody) : undefined
    if (!error || !isTooFast(error)) continue
    const { data, message } = error
    const seconds = isRecord(data) && isRecord(data.rate) ? Number(data.rate.backoff_seconds) : 0
    return { ...(seconds > 0 && { waitMs: seconds * 1_000 }), words: String(message), data }
  }
  return undefined
}

/** The refusal for the rate that an error is: HTTP status 429. */
function refusalOf(error: unknown): RateRefusal | undefined {
  if (!(error instanceof AppError) || error.details?.fault !== busyFault) return undefined
  const { retryAfterMs } = error.details
  return { ...(typeof retryAfterMs === 'number' && { waitMs: retryAfterMs }), words: error.message }
}

/** An endpoint that is asked no faster than its plan allows. The plan is recalled at its first use, and kept whenever it changes. */
export function withPacing(
  endpoint: Endpoint,
  url: string,
  { plans, onPlan }: { plans?: KeptPlans | undefined; onPlan?: OnPlan | undefined },
): Endpoint {
  const { host, beside = () => 0 } = endpoint
  const pacer = newPacer({
    host,
    recall: () => plans?.find(url),
    keep: (plan) => plans?.keep(url, plan),
    onPlan,
  })
  /** What the node said to the last call that it refused: the reason where the next one would be too late. */
  let last: unknown
  return {
    host,
    most: () => Math.max(1, pacer.most() - beside()),
    exchange: async (body, deadlineMs, until = performance.now() + deadlineMs) => {
      const turn = await pacer.take([body].flat().length + beside(), until).catch((error: unknown) => {
        throw last ?? error
      })
      let refusal: RateRefusal | undefined
      try {
        const answer = await endpoint.exchange(body, Math.min(deadlineMs, until - performance.now()))
        refusal = refusalIn(answer)
        return answer
      } catch (error) {
        refusal = refusalOf(error)
        if (refusal) last = error
        throw error
      } finally {
        pacer.answered(turn, refusal)
      }
    },
  }
}
