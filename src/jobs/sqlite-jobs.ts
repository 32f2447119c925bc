import { randomUUID } from 'node:crypto'
import { insertOf } from '../store/sql/insert.ts'
import type { Sql } from '../store/sql/sql-types.ts'
import type { Jobs, QueueName } from './jobs-type.ts'

/**
 * How an engine of jobs waits, in ms: a claim of a process that ended is free after `leaseMs`, other processes' jobs are seen within `pollMs`, and a
 * job that failed runs again after `retryMs`.
 */
export type JobTimes = { leaseMs: number; pollMs: number; retryMs: number }

/** The waits of a server, in ms. */
export const jobTimes: JobTimes = { leaseMs: 15_000, pollMs: 1_000, retryMs: 5_000 }

type Needs = {
  now: () => number
  times?: JobTimes
  /** Called with the error of a handler, or of the database. */
  onError: (queue: QueueName, error: unknown) => void
}

type Worker = {
  queue: QueueName
  concurrency: number
  handler: Parameters<Jobs['work']>[2]
  running: number
}

/** Returns `add` for a process that runs no jobs. Jobs of one queue and key are one row; what is added while it runs waits in `again_at`. */
export const addSqliteJobs =
  (now: () => number): Jobs['add'] =>
  async ({ query }, jobs) => {
    for (const { queue, key, at = now() } of jobs)
      await query(
        ...insertOf(
          'jobs',
          { queue, key, dueAt: at },
          `on conflict (queue, key) do update set
            due_at = case when jobs.claim is null and excluded.due_at < jobs.due_at then excluded.due_at else jobs.due_at end,
            again_at = case when jobs.claim is not null and (jobs.again_at is null or excluded.due_at < jobs.again_at) then excluded.due_at else jobs.again_at end`,
        ),
      )
  }

const isFree = '(claim is null or claimed_until <= $2)'

/**
 * Jobs in a table of the database of the service. A job is claimed by a conditional update with a lease that its process renews; every later write names
 * the claim, so a process that lost it changes nothing. May be killed at any point.
 */
export function sqliteJobs(sql: Sql, { now, times = jobTimes, onError }: Needs): Jobs {
  const workers: Worker[] = []
  const running = new Set<Promise<void>>()
  let isOpen = false
  let timer: NodeJS.Timeout | undefined
  let wakesAt = 0
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  const wakeAt = (at: number) => {
    if (!isOpen) return
    if (timer !== undefined && wakesAt <= at) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(
      () => {
        timer = undefined
        look()
      },
      Math.max(0, at - now()),
    )
  }

  /** Claims what is due for every free place, one look at a time. */
  const look = () => {
    if (looking) {
      isAskedAgain = true
      return
    }
    looking = claimAll()
      .catch((error: unknown) => onError('sweep', error))
      .finally(() => {
        looking = undefined
        const again = isAskedAgain
        isAskedAgain = false
        if (again && isOpen) look()
        else wakeAt(now() + times.pollMs)
      })
  }

  const claimAll = async () => {
    for (const worker of workers) {
      const free = worker.concurrency - worker.running
      if (!isOpen || free <= 0) continue
      const values = [worker.queue, now(), free]
      const due = await sql.query<{ key: string }>(
        `select key from jobs where queue = $1 and due_at <= $2 and ${isFree} order by due_at limit $3`,
        values,
      )
      if (due.length === 0) continue
      const claim = randomUUID()
      const claimed = await sql.query<{ key: string }>(
        `update jobs set claim = $4, claimed_until = $5 where queue = $1 and due_at <= $2 and ${isFree}
         and key in (select key from jobs where queue = $1 and due_at <= $2 and ${isFree} order by due_at limit $3) returning key`,
        [...values, claim, now() + times.leaseMs],
      )
      for (const { key } of claimed) {
        const done = run(worker, key, claim)
        running.add(done)
        void done.finally(() => running.delete(done))
      }
    }
    const [next] = await sql.query<{ at: number | null }>(
      'select min(due_at) as at from jobs where claim is null',
    )
    if (next?.at && next.at > now()) wakeAt(next.at)
  }

  const run = async (worker: Worker, key: string, claim: string): Promise<void> => {
    const { queue } = worker
    worker.running++
    const mine = [queue, key, claim]
    const heartbeat = setInterval(() => {
      sql
        .query('update jobs set claimed_until = $4 where queue = $1 and key = $2 and claim = $3', [
          ...mine,
          now() + times.leaseMs,
        ])
        .catch((error: unknown) => onError(queue, error))
    }, times.leaseMs / 3)
    try {
      const failed = await worker.handler({ queue, key }).then(
        () => false,
        (error: unknown) => {
          onError(queue, error)
          return true
        },
      )
      await finish(mine, failed)
    } catch (error) {
      // The lease ends by itself, and the job runs again.
      onError(queue, error)
    } finally {
      clearInterval(heartbeat)
      worker.running--
      look()
    }
  }

  /** Ends a claim: the job is gone, or waits for what was added while it ran, or for its retry. */
  const finish = (mine: readonly string[], isFailed: boolean) =>
    sql.transaction(async ({ query }) => {
      const its = 'queue = $1 and key = $2 and claim = $3'
      if (isFailed) {
        const at = now() + times.retryMs
        await query(`update jobs set due_at = $4, again_at = null, claim = null where ${its}`, [...mine, at])
        return
      }
      await query(`delete from jobs where ${its} and again_at is null`, mine)
      await query(`update jobs set due_at = again_at, again_at = null, claim = null where ${its}`, mine)
    })

  const add = addSqliteJobs(now)
  return {
    add: async (tx, jobs) => {
      await add(tx, jobs)
      // The look waits behind the transaction that added them.
      if (jobs.length > 0) wakeAt(Math.min(...jobs.map(({ at = now() }) => at)))
    },
    work: (queue, { concurrency }, handler) => workers.push({ queue, concurrency, handler, running: 0 }),
    start: async () => {
      isOpen = true
      look()
    },
    stop: async () => {
      isOpen = false
      clearTimeout(timer)
      await looking
      while (running.size > 0) await Promise.all(running)
    },
  }
}
