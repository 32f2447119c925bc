import { createRequire } from 'node:module'
import type { JobWithMetadata, PgBoss } from 'pg-boss'
import { onCommit, type PostgresSql } from '../store/sql/postgres.ts'
import type { Sql, SqlValue } from '../store/sql/sql-types.ts'
import { type Job, type Jobs, type QueueName, queueNames } from './jobs-type.ts'

const load = createRequire(import.meta.url)

/**
 * How pg-boss waits, in seconds: jobs of other times are seen within `poll`, the jobs of a process that ended are free after `heartbeat` (at least 10)
 * and `supervise`, and a job that failed runs again after `retry`.
 */
type PostgresJobTimes = { poll: number; heartbeat: number; supervise: number; retry: number }

/** The waits of a server, in seconds. */
const usual: PostgresJobTimes = { poll: 1, heartbeat: 10, supervise: 5, retry: 5 }

type Needs = {
  password: () => string | undefined
  /** Called with the error of a handler, or of the database. */
  onError: (queue: QueueName, error: unknown) => void
  times?: PostgresJobTimes
}

/** The schema of the tables of pg-boss. */
const schema = 'sluice_jobs'

/**
 * Jobs by pg-boss, in a schema of the database of the service and over connections of its own. A queue has the policy `stately`, with the key of a job as
 * its singleton key: one that waits and one that runs, for each key. pg-boss never uses up its retries here: a handler that fails ends its job, and adds
 * the next one, so that no failed job can stand in the way of its key.
 *
 * Its own workers are not used: each of them polls for one job, so a queue that runs 100 at a time asked 100 times a second. Here one query a queue takes
 * what is due for every free place, when this process has added a job, and each time after `poll`.
 */
export async function postgresJobs(
  sql: PostgresSql,
  { password, onError, times = usual }: Needs,
): Promise<Jobs> {
  const { PgBoss: create } = load('pg-boss') as typeof import('pg-boss')
  const { host, port, user, database, ssl, applicationName } = sql.place
  const boss: PgBoss = new create({
    ...{ host, port, user, database, ssl, schema },
    password: () => password() ?? '',
    application_name: `${applicationName} jobs`,
    max: 4,
    schedule: false,
    superviseIntervalSeconds: times.supervise,
    monitorIntervalSeconds: times.supervise,
  })
  boss.on('error', (error) => onError('sweep', error))
  await boss.start()
  const known = new Set((await boss.getQueues()).map(({ name }) => name))
  for (const name of queueNames) {
    // As many tries as there may be kills; a failure of a handler is none.
    const options = {
      retryLimit: 1_000_000,
      retryDelay: 0,
      heartbeatSeconds: times.heartbeat,
      deleteAfterSeconds: 300,
    }
    if (!known.has(name)) await boss.createQueue(name, { policy: 'stately', ...options })
  }
  const addIn = jobAdder(boss)
  /** What is due and not added yet, by queue and key. */
  const due = new Map<string, Job>()
  let adding: Promise<void> | undefined
  const alone: Sql['query'] = async (text, values) => (await sql.pool.query(text, values as SqlValue[])).rows
  const addDue = async () => {
    for (const [name, job] of due) {
      due.delete(name)
      await addIn({ query: alone }, job).then(
        () => lookAt(job.queue),
        (error: unknown) => onError(job.queue, error),
      )
    }
    adding = undefined
  }
  /**
   * What is due at once is added after the commit of its change: it is often the same job for all writers of a customer, whose transactions would wait for each
   * other and conflict. A process that ends in between leaves it to the sweep.
   */
  const add: Jobs['add'] = async (tx, jobs) => {
    for (const job of jobs)
      if (job.at !== undefined && job.at > Date.now()) {
        await addIn(tx, job)
        const { queue, at } = job
        if (at < Date.now() + times.poll * 1_000)
          onCommit(tx.query, () => void setTimeout(() => lookAt(queue), at - Date.now()).unref())
      } else
        onCommit(tx.query, () => {
          due.set(`${job.queue} ${job.key}`, job)
          adding ??= addDue()
        })
  }
  const workers: Worker[] = []
  const running = new Map<string, { queue: QueueName; ended: Promise<void> }>()
  let isOpen = false
  const timers: NodeJS.Timeout[] = []
  /** Runs a handler; if it fails, its key is due again a little later. */
  const run = async (worker: Worker, { id, retryCount, singletonKey }: JobWithMetadata): Promise<void> => {
    const { queue } = worker
    const key = singletonKey ?? ''
    try {
      await worker.handler({ queue, key }).catch(async (error: unknown) => {
        onError(queue, error)
        await sql.transaction((tx) => add(tx, [{ queue, key, at: Date.now() + times.retry * 1_000 }]))
      })
      await boss.complete(queue, { id, retryCount })
    } catch (error) {
      // Without its heartbeat the job runs again.
      onError(queue, error)
    }
    running.delete(id)
    worker.running--
    look(worker)
  }
  /** Takes what is due for every free place of a queue, one look at a time. */
  const look = (worker: Worker): void => {
    if (!isOpen || worker.running >= worker.concurrency) return
    worker.isAsked = true
    worker.looking ??= takeDue(worker)
      .catch((error: unknown) => onError(worker.queue, error))
      .finally(() => {
        worker.looking = undefined
      })
  }
  const takeDue = async (worker: Worker): Promise<void> => {
    const { queue } = worker
    while (isOpen && worker.isAsked && worker.running < worker.concurrency) {
      worker.isAsked = false
      const free = worker.concurrency - worker.running
      for (const job of await boss.fetch<object>(queue, {
        batchSize: free,
        includeMetadata: true,
      })) {
        worker.running++
        running.set(job.id, { queue, ended: Promise.resolve() })
        running.set(job.id, { queue, ended: run(worker, job) })
      }
    }
  }
  const lookAt = (queue: QueueName): void => {
    for (const worker of workers) if (worker.queue === queue) look(worker)
  }
  const beat = async (): Promise<void> => {
    for (const name of queueNames) {
      const ids = [...running].filter(([, { queue }]) => queue === name).map(([id]) => id)
      if (ids.length > 0) await boss.touch(name, ids)
    }
  }
  return {
    add,
    work: (queue, { concurrency }, handler) =>
      workers.push({ queue, concurrency, handler, running: 0, isAsked: false, looking: undefined }),
    start: async () => {
      isOpen = true
      const lookAll = () => workers.forEach(look)
      lookAll()
      timers.push(
        setInterval(lookAll, times.poll * 1_000),
        setInterval(
          () => void beat().catch((error: unknown) => onError('sweep', error)),
          (times.heartbeat * 1_000) / 3,
        ),
      )
    },
    stop: async () => {
      isOpen = false
      clearInterval(timers[0])
      for (const { looking } of workers) await looking
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended))
      clearInterval(timers[1])
      await adding
      await boss.stop({ graceful: true, timeout: 60_000 })
    },
  }
}

const jobAdder =
  (boss: PgBoss) =>
  async ({ query }: Pick<Sql, 'query'>, { queue, key, at = Date.now() }: Job): Promise<void> => {
    // A waiting job stands for this one. Its lock keeps it from beginning before this transaction has ended.
    const waiting = await query(
      `update ${schema}.job set start_after = least(start_after, to_timestamp($3::double precision / 1000))
       where name = $1 and singleton_key = $2 and state = 'created' returning id`,
      [queue, key, at],
    )
    if (waiting.length === 0)
      await boss.send(queue, null, { singletonKey: key, startAfter: new Date(at), db: within({ query }) })
  }

/**
 * Returns `add` for a process that runs no jobs. It opens no connection of its own, and loads pg-boss at the first job. Where no server has made the tables
 * of the jobs yet, or those of another version, nothing is added: the sweep of a server finds the change.
 */
export function addPostgresJobs(sql: PostgresSql): Pick<Jobs, 'add' | 'stop'> {
  let opened: Promise<PgBoss | undefined> | undefined
  const open = async (): Promise<PgBoss | undefined> => {
    const [table] = await sql.query<{ name: string | null }>(
      `select to_regclass('${schema}.queue')::text as name`,
    )
    if (!table?.name) return undefined
    const { PgBoss: create } = load('pg-boss') as typeof import('pg-boss')
    const db = within(sql)
    const boss = new create({
      db,
      schema,
      migrate: false,
      createSchema: false,
      supervise: false,
      schedule: false,
    })
    boss.on('error', () => undefined)
    await boss.start()
    return boss
  }
  return {
    add: async (tx, jobs) => {
      opened ??= open().catch(() => undefined)
      const boss = await opened
      if (boss) for (const job of jobs) await jobAdder(boss)(tx, job)
    },
    stop: async () => {
      await (await opened)?.stop({ graceful: false })
    },
  }
}

type Worker = {
  queue: QueueName
  concurrency: number
  handler: Parameters<Jobs['work']>[2]
  running: number
  /** Whether a look was asked for since the last one began. */
  isAsked: boolean
  looking: Promise<void> | undefined
}

/** A transaction of ours as pg-boss uses one; it needs the rows of every statement. */
const within = (tx: Pick<Sql, 'query'>) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await tx.query(text, values as SqlValue[]),
  }),
})
