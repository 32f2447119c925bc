import { runEventJobs, startEventJobs } from '../src/events/event-jobs.ts'
import { guardedPost } from '../src/http/guarded-post.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { jobsOf, openOwnDatabase } from './campaign-database.ts'
import { seeded } from './seeded.ts'
import { campaignSettings, campaignTimes, type WebhookSabotage, type WorkerOrder } from './webhooks.ts'

/*
 * A server of the campaign of webhooks without HTTP: it changes actions and runs the jobs of events, until it is killed. Started by `webhooks.ts` with its order as
 * JSON.
 */

// It ends with the campaign.
process.on('disconnect', () => process.exit())

const order = JSON.parse(process.argv[2]!) as WorkerOrder
const random = seeded(order.seed)

/** The texts that a sabotage changes. */
const changed: Partial<Record<WebhookSabotage, (text: string) => string>> = {
  'no-fencing': (text) =>
    text
      .replace(
        "where id = $1 and attempt = $2 and state = 'pending' returning",
        'where id = $1 and $2 = $2 returning',
      )
      .replace(
        "where id = $1 and attempt = $2 and state = 'pending' and leased_until <= $4",
        'where id = $1 and $2 = $2 and $4 = $4',
      ),
  'order-by-time': (text) =>
    text
      .replaceAll('order by at, subject, seq', 'order by at, id')
      .replace('earlier.seq < d.seq', 'earlier.created_at < d.created_at'),
}

/** The database with a sabotage. Outside of the transaction, each statement is committed alone. */
function sabotaged(sql: Sql): Sql {
  if (order.sabotage === undefined) return sql
  const change = (order.sabotage && changed[order.sabotage]) ?? ((text: string) => text)
  const query: Sql['query'] = (text, values) => sql.query(change(text), values)
  return {
    ...sql,
    query,
    cachedQuery: (text, values) => sql.cachedQuery(change(text), values),
    transaction: (work, options) =>
      order.sabotage === 'outbox-outside-transaction'
        ? work({ query })
        : sql.transaction((tx) => work({ query: (text, values) => tx.query(change(text), values) }), options),
  }
}

const opened = await openOwnDatabase(order.database)
const sql = sabotaged(opened)
const { jobs, store } = await jobsOf(order.database, opened, { times: campaignTimes, wrapped: sql })
runEventJobs({
  store,
  sql,
  jobs,
  now: Date.now,
  clock: Date.now,
  random,
  post: (request) => guardedPost({ ...request, allowLoopback: true }),
  settings: campaignSettings,
  isStopping: () => false,
  readSwap: async () => undefined,
  watchStrategies: async () => undefined,
})
await startEventJobs({ sql, jobs, clock: Date.now })

/** Moves an action to its next state; `updatedAt` counts the changes. */
async function change(id: string): Promise<void> {
  const found = await store.action(order.customer, id)
  if (!found) return
  const { action, txs } = found
  const status = action.status === 'pending' ? 'confirmed' : 'pending'
  const changes = Number(action.updatedAt) + 1
  // The hash is new at each change, so a change that was decided on an older state is refused.
  const row = { ...action, status, updatedAt: changes, destinationHash: String(changes) }
  await store.moveAction(row, { action, txs })
}

if (order.isWriting)
  for (;;) {
    const some = Array.from({ length: 4 }, () => order.actions[Math.floor(random() * order.actions.length)]!)
    await Promise.all([...new Set(some)].map((id) => change(id).catch(() => undefined)))
    // The jobs need some of the time.
    await new Promise((resolve) => setTimeout(resolve, order.pauseMs))
  }
