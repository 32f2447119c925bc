import type { GuardedAnswer, GuardedRequest } from '../http/guarded-post.ts'
import type { Jobs } from '../jobs/jobs-type.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { DeliveryRow } from '../store/events/delivery-queries.ts'
import type { EndpointRow, Secret } from '../store/events/endpoint-queries.ts'
import type { Sql } from '../store/sql/sql-types.ts'
import { eventDocument } from './event-document.ts'
import { deliveryOutcome, isEndpointGone } from './retry-schedule.ts'
import { webhookHeaders } from './signature.ts'

/**
 * How events are delivered. `timeoutMs` limits an attempt; a claim of a process that ended is free `spareMs` later. `concurrency` is the number of subjects that
 * one endpoint gets at a time. After `restAfter` failures in a row an endpoint rests, twice as long each time, up to `restMs`, and then gets one attempt. One job
 * works at most `turnMs`.
 */
export type DeliverySettings = {
  timeoutMs: number
  spareMs: number
  concurrency: number
  restAfter: number
  restMs: number
  turnMs: number
  schedule?: readonly number[]
}

/** The settings of a server, in ms. */
export const deliverySettings: DeliverySettings = {
  timeoutMs: 15_000,
  spareMs: 15_000,
  concurrency: 8,
  restAfter: 5,
  restMs: 60_000,
  turnMs: 60_000,
}

/** What a delivery needs: the store, the jobs, the clock, and how an event is sent. */
export type DeliveryNeeds = {
  store: EngineStore
  sql: Pick<Sql, 'transaction'>
  jobs: Pick<Jobs, 'add'>
  /** The clock of the service, and that of this machine, by which attempts are made and signed. */
  now: () => number
  clock: () => number
  /** A number in [0, 1), for the jitter. */
  random: () => number
  post: (request: Pick<GuardedRequest, 'url' | 'headers' | 'body' | 'timeoutMs'>) => Promise<GuardedAnswer>
  settings: DeliverySettings
  /** Whether the process is about to stop: no further attempt begins. */
  isStopping: () => boolean
}

const firstRestMs = 1_000

/**
 * Delivers what is due for an endpoint: one event of each subject at a time, several subjects at once. Adds the job for what is due later. An endpoint has its
 * own job, so one that does not answer holds up no other. Any process may end at any point: the claim then lapses, and the event is sent again under the same id.
 */
export async function deliverToEndpoint(needs: DeliveryNeeds, endpointId: string): Promise<void> {
  const { store, clock, settings } = needs
  const endpoint = await store.endpointOfAny(endpointId)
  if (!endpoint || endpoint.disabledAt !== null) return
  const until = clock() + settings.turnMs
  const underWay = new Map<string, Promise<void>>()
  const breaker = breakerOf(needs, endpoint)
  const mayBegin = () => clock() < until && !needs.isStopping() && breaker.isClosed()
  while (mayBegin()) {
    const free = breaker.places() - underWay.size
    const due = free > 0 ? await store.dueDeliveries(endpointId, clock(), free) : []
    for (const delivery of due) {
      if (underWay.has(delivery.id)) continue
      const done = attempt(needs, endpoint, delivery, breaker).finally(() => underWay.delete(delivery.id))
      underWay.set(delivery.id, done)
    }
    if (underWay.size === 0) break
    await Promise.race(underWay.values())
  }
  await Promise.all(underWay.values())
  const next = await store.nextDue(endpointId)
  if (next === null || breaker.isGone()) return
  const at = Math.max(next, breaker.restsUntil())
  await needs.sql.transaction((tx) =>
    needs.jobs.add(tx, [{ queue: 'webhooks.deliver', key: endpointId, at }]),
  )
}

type Breaker = ReturnType<typeof breakerOf>

/** Counts the failures in a row of an endpoint, and lets it rest. */
function breakerOf({ store, clock, settings }: DeliveryNeeds, endpoint: EndpointRow) {
  let failures = Number(endpoint.failures)
  let restsUntil = Number(endpoint.restsUntil)
  let isOver = false
  return {
    isClosed: () => !isOver && clock() >= restsUntil,
    isGone: () => isOver,
    restsUntil: () => restsUntil,
    places: () => (failures >= settings.restAfter ? 1 : settings.concurrency),
    gone: () => {
      isOver = true
    },
    succeeded: async () => {
      if (failures === 0) return
      failures = 0
      restsUntil = 0
      await store.keepFailures(endpoint.id, 0, 0)
    },
    failed: async () => {
      // Attempts that began together are one reason to rest.
      if (clock() < restsUntil) return
      failures++
      const beyond = failures - settings.restAfter
      if (beyond >= 0)
        restsUntil = clock() + Math.min(settings.restMs, firstRestMs * 2 ** Math.min(beyond, 20))
      await store.keepFailures(endpoint.id, failures, restsUntil)
    },
  }
}

/** Makes one attempt. The call is outside of any transaction; its outcome is kept only if the attempt is still the last one. */
async function attempt(
  { store, now, clock, random, post, settings }: DeliveryNeeds,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  breaker: Breaker,
): Promise<void> {
  const { timeoutMs, spareMs, schedule } = settings
  const event = await store.claimDelivery(delivery, { now: clock(), leaseMs: timeoutMs + spareMs })
  if (!event) return
  const body = JSON.stringify(eventDocument(event, endpoint.payload))
  const headers = webhookHeaders(liveSecrets(endpoint, now()), { id: event.id, at: clock(), body })
  const answer = await post({ url: endpoint.url, headers, body, timeoutMs })
  const tries = Number(delivery.tries) + 1
  const outcome = deliveryOutcome(answer, tries, {
    now: clock(),
    random: random(),
    ...(schedule && { schedule }),
  })
  await store.keepAttempt({ id: delivery.id, attempt: Number(delivery.attempt) + 1 }, outcome, clock())
  if (isEndpointGone(answer)) {
    breaker.gone()
    await store.disableEndpoint(endpoint, 'it answered with HTTP status 410')
    return
  }
  // A receiver that refuses one event is there.
  const isThere = 'status' in answer && answer.status < 500 && answer.status !== 408 && answer.status !== 429
  await (isThere ? breaker.succeeded() : breaker.failed())
}

/** The secrets that sign now: the newest, and those that it replaced not long ago. */
export function liveSecrets({ secrets }: Pick<EndpointRow, 'secrets'>, now: number): string[] {
  const all = JSON.parse(secrets) as Secret[]
  return all.filter(({ until }) => until === null || until > now).map(({ secret }) => secret)
}
