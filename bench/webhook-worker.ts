import { runEventJobs, startEventJobs } from '../src/events/event-jobs.ts'
import { guardedPost } from '../src/http/guarded-post.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { jobsOf, openOwnDatabase } from './campaign-database.ts'
import { seeded } from './seeded.ts'
import { campaignSettings, campaignTimes, sabotageTexts, type WorkerOrder } from './webhooks.ts'

/*
 * A server of the campaign of webhooks without HTTP: it changes actions and runs the jobs of events, until it is killed. Started by `webhooks.ts` with its order as
 * JSON.
 */

// It ends with the campaign.
process.on('disconnect', () => process.exit())

const order = JSON.parse(process.argv[2]!) as WorkerOrder
const random = seeded(order.seed)

/** The database with a sabotage's texts in its queries. */
const changedText = (text: string): string =>
  (order.sabotage ? sabotageTexts[order.sabotage] : []).reduce(
    (now, [from, to]) => now.replaceAll(from, to),
    text,
  )

/** The database with a sabotage. Outside of the transaction, each statement is committed alone. */
function sabotaged(sql: Sql): Sql {
  if (order.sabotage === undefined) return sql
  const query: Sql['query'] = (text, values) => sql.query(changedText(text), values)
  return {
    ...sql,
    query,
    cachedQuery: (text, values) => sql.cachedQuery(changedText(text), values),
    transaction: (work, options) =>
      order.sabotage === 'outbox-outside-transaction'
        ? work({ query })
        : sql.transaction(
            (tx) => work({ query: (text, values) => tx.query(changedText(text), values) }),
            options,
          ),
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
