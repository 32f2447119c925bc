import type { Sql } from '../store/sql/sql-types.ts'

/**
 * The queues of the service. A job is only a hint that something of its key may be due: the tables say what is. So a job that runs twice does
 * no harm, and one that is lost is added again by the sweep.
 */
export const queueNames = [
  'events.number',
  'webhooks.deliver',
  'quotes.expire',
  'strategies.watch',
  'sweep',
] as const

export type QueueName = (typeof queueNames)[number]

/** A job: `key` names what it is about (an action, an endpoint, a customer), `at` is the epoch ms before which it does not run. */
export type Job = { queue: QueueName; key: string; at?: number }

/**
 * An engine of jobs. Jobs of one queue and key never run at the same time. A job that was added but has not begun stands for every later one of
 * its queue and key that is due no earlier; adding an earlier one moves it forward. A job that is added while one of its key runs, also by
 * its own handler, runs after it. A handler that fails, or whose process ends, runs again.
 */
export type Jobs = {
  /** Adds jobs in the transaction of the change that they are about. */
  add: (tx: Pick<Sql, 'query'>, jobs: readonly Job[]) => Promise<void>
  /** Runs `handler` for the jobs of a queue, at most `concurrency` at a time. Called before `start`. */
  work: (
    queue: QueueName,
    options: { concurrency: number },
    handler: (job: Pick<Job, 'queue' | 'key'>) => Promise<void>,
  ) => void
  start: () => Promise<void>
  /** Takes no more jobs, and waits for those that run. */
  stop: () => Promise<void>
}
