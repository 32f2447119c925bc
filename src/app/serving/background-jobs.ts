import type { Service } from '../../api/service-type.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import type { Jobs } from '../../jobs/jobs-type.ts'
import type { KeyOwner, keyStore } from '../../store/api-keys/keys.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { Sql } from '../../store/sql/sql-types.ts'

/** What the background jobs of a server need. `serviceOf` makes the service of a customer; `random` is in [0, 1). */
type BackgroundNeeds = {
  store: EngineStore
  keys: ReturnType<typeof keyStore>
  sql: Sql
  jobs: Jobs
  serviceOf: (owner: KeyOwner) => Service
  now: () => number
  allowLoopback: boolean
  random?: () => number
}

/** Runs the background jobs of a server: events, webhooks and what they are about. `close` lets those that run end. */
export async function startBackgroundJobs(needs: BackgroundNeeds): Promise<{ close: () => Promise<void> }> {
  const { store, keys, sql, jobs, serviceOf, now, allowLoopback, random = Math.random } = needs
  const [{ runEventJobs, startEventJobs }, { deliverySettings }, { watchStrategies }, { guardedPost }] =
    await Promise.all([
      import('../../events/event-jobs.ts'),
      import('../../events/deliver.ts'),
      import('../../events/watch-strategies.ts'),
      import('../../http/guarded-post.ts'),
    ])
  /** A customer as its keys see the service: testnets if one of them does. */
  const ownerOf = async (customer: string): Promise<KeyOwner> => {
    const own = (await keys.all()).filter((one) => one.customer === customer && one.revokedAt === null)
    const { strategies = null } = await store.settings(customer)
    return { id: 'jobs', customer, testnet: own.some(({ testnet }) => testnet), strategies }
  }
  const whole = (customer: string): Service =>
    serviceOf({ id: 'jobs', customer, testnet: true, strategies: null })
  let isStopping = false
  runEventJobs({
    store,
    sql,
    jobs,
    now,
    clock: Date.now,
    random,
    post: (request) => guardedPost({ ...request, allowLoopback }),
    settings: deliverySettings,
    isStopping: () => isStopping,
    readSwap: (customer, id) => whole(customer).swapStatus({ id }),
    watchStrategies: () =>
      watchStrategies(store, async (customer) => strategiesOf(serviceOf(await ownerOf(customer)))),
  })
  await startEventJobs({ sql, jobs, clock: Date.now })
  return {
    close: async () => {
      isStopping = true
      await jobs.stop()
    },
  }
}

/** What is watched of all strategies of a customer. */
async function strategiesOf(service: Service) {
  const all = []
  for (let page = 1, isMore = true; isMore; page++) {
    const { items, hasMore } = await service.listStrategies({ page, limit: 100 })
    all.push(...items)
    isMore = hasMore
  }
  return all.map(({ slug, network, paused, apy, liquidityUsd }) => ({
    slug,
    network,
    isPaused: paused,
    apy,
    liquidityUsd: liquidityUsd === null ? null : Number(liquidityUsd),
  }))
}

/** Logs a failed job as a JSON line, each error of a queue at most once a minute. */
export function jobFaultLog(
  log: { write: (line: string) => void } | undefined,
): (queue: string, error: unknown) => void {
  const shown = new Map<string, number>()
  return (queue, error) => {
    const text = redactedTrace(error)
    const key = `${queue} ${text}`
    if (Date.now() < (shown.get(key) ?? 0) + 60_000) return
    shown.set(key, Date.now())
    const line = { time: new Date().toISOString(), level: 'error', job: queue, error: text }
    log?.write(`${JSON.stringify(line)}\n`)
  }
}
