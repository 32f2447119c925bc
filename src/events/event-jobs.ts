import type { Jobs } from '../jobs/jobs-type.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { Sql } from '../store/sql/sql-types.ts'
import { type DeliveryNeeds, deliverToEndpoint } from './deliver.ts'

const [minute, day] = [60_000, 24 * 3_600_000]

/** How long events are kept, in ms. */
export const keptMs = 30 * day

/** What the jobs of events do besides delivering: read a quote of a customer from its chains, and look at the strategies. */
export type Readers = {
  readSwap: (customer: string, quoteId: string) => Promise<unknown>
  watchStrategies: () => Promise<void>
}

/** What the jobs of events need. */
export type EventJobNeeds = Omit<DeliveryNeeds, 'jobs'> & {
  jobs: Jobs
  sql: Sql
  store: EngineStore
} & Readers

/** How long after its deadline a quote is followed, in ms. */
const followedMs = 7 * day

/** How long until an open swap that no action follows is read again, in ms: a twentieth of the age of its quote, between 5 s and 10 min. */
export const trackedAfter = (sinceMs: number): number => Math.min(10 * minute, Math.max(5_000, sinceMs / 20))

/**
 * Runs the jobs of events: the places of new events, deliveries, quotes that expire, strategies, and the sweep, which adds a job for whatever is
 * due and has none.
 */
export function runEventJobs(needs: EventJobNeeds): void {
  const { store, sql, jobs, now, clock } = needs
  const add = (job: Parameters<Jobs['add']>[1][number]) => sql.transaction((tx) => jobs.add(tx, [job]))

  jobs.work('events.number', { concurrency: 4 }, ({ key }) => store.numberEvents(key))

  jobs.work('webhooks.deliver', { concurrency: 100 }, ({ key }) => deliverToEndpoint(needs, key))

  jobs.work('quotes.expire', { concurrency: 8 }, async ({ key }) => {
    const quote = await store.quoteOfAny(key)
    if (!quote || quote.outcome !== null) return
    const expiresAt = Number(quote.expiresAt)
    const { customer, isFollowed, createdAt } = quote
    // A swap from Bitcoin and the bridge of a deposit are no actions: their quote is followed until its end, or a week after its deadline.
    if (isFollowed) await needs.readSwap(customer, key).catch(() => undefined)
    if (now() > expiresAt) await store.tellQuoteExpiry(key)
    if (isFollowed && now() < expiresAt + followedMs)
      await add({ queue: 'quotes.expire', key, at: clock() + trackedAfter(now() - Number(createdAt)) })
    else if (now() <= expiresAt)
      await add({ queue: 'quotes.expire', key, at: clock() + expiresAt + 1 - now() })
  })

  jobs.work('strategies.watch', { concurrency: 1 }, () => needs.watchStrategies())

  jobs.work('sweep', { concurrency: 1 }, async () => {
    await store.deleteOldEvents(now() - keptMs)
    await store.markNext()
    const [customers, endpoints, quotes, followed] = await Promise.all([
      store.customersToNumber(),
      store.endpointsWithDeliveries(),
      store.expiredQuotes(now() - day, now()),
      store.followedQuotes(now() - followedMs),
    ])
    const due = [
      ...customers.map((key) => ({ queue: 'events.number' as const, key })),
      ...endpoints.map((key) => ({ queue: 'webhooks.deliver' as const, key })),
      ...quotes.map((key) => ({ queue: 'quotes.expire' as const, key })),
      // No earlier than it is due: an earlier job would move the waiting one forward.
      ...followed.map(({ id, createdAt }) => ({
        queue: 'quotes.expire' as const,
        key: id,
        at: clock() + trackedAfter(now() - Number(createdAt)),
      })),
      { queue: 'strategies.watch' as const, key: 'all' },
      { queue: 'sweep' as const, key: 'all', at: clock() + minute },
    ]
    for (let at = 0; at < due.length; at += 200)
      await sql.transaction((tx) => jobs.add(tx, due.slice(at, at + 200)))
  })
}

/** Starts the jobs of a server, with a first sweep. */
export async function startEventJobs({
  sql,
  jobs,
  clock,
}: Pick<EventJobNeeds, 'sql' | 'jobs' | 'clock'>): Promise<void> {
  await sql.transaction((tx) => jobs.add(tx, [{ queue: 'sweep', key: 'all', at: clock() }]))
  await jobs.start()
}
