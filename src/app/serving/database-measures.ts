import type { Measure } from '../../server/measures.ts'
import { type DatabaseProbe, type PoolCounts, readBacklog } from '../../store/sql/database-probe.ts'
import type { MeasureSource } from './observations.ts'

/** How long a read of the database may take, and how long its values are kept, in ms. A page of metrics costs the database at most one read in that time. */
const [limitMs, keptMs] = [2_000, 5_000]

/**
 * What the database of a server holds for later, and its connections. A database that does not answer in time has `sluice_database_up` 0 and no other values;
 * while one read hangs, no other begins.
 */
export function databaseMeasures(
  database: DatabaseProbe,
  pool: (() => PoolCounts) | undefined,
  now: () => number,
): MeasureSource {
  let reading: Promise<readonly Measure[]> | undefined
  let kept: { at: number; measures: readonly Measure[] } | undefined
  const read = (): Promise<readonly Measure[]> => {
    reading ??= backlogMeasures(database, now)
      .then((measures) => {
        kept = { at: performance.now(), measures }
        return measures
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return async () => {
    const isKept = kept !== undefined && performance.now() - kept.at < keptMs
    const found = isKept ? kept!.measures : await inTime(read())
    return [
      gauge('sluice_database_up', '1 if the database answered in time.', [{ value: found ? 1 : 0 }]),
      ...(pool ? poolMeasures(pool()) : []),
      ...(found ?? []),
    ]
  }
}

/** A result, or `undefined` if it fails or is late. */
async function inTime<value>(work: Promise<value>): Promise<value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

const gauge = (name: string, help: string, samples: Measure['samples']): Measure => ({
  name,
  help,
  type: 'gauge',
  samples,
})

async function backlogMeasures(database: DatabaseProbe, now: () => number): Promise<readonly Measure[]> {
  const { queues, waiting, oldestAt, dead, unnumbered } = await readBacklog(database, Date.now())
  return [
    gauge(
      'sluice_jobs_due',
      'Jobs that are due and that no instance has begun, by queue.',
      queues.map(({ queue, count }) => ({ labels: { queue }, value: count })),
    ),
    gauge('sluice_events_unnumbered', 'Events that have no place yet and are seen by nobody.', [
      { value: unnumbered },
    ]),
    gauge('sluice_deliveries_waiting', 'Deliveries to endpoints that are on their way.', [
      { value: waiting },
    ]),
    gauge(
      'sluice_delivery_oldest_age_seconds',
      'Age of the oldest delivery that is on its way; 0 without one.',
      [{ value: oldestAt === null ? 0 : Math.max(0, (now() - oldestAt) / 1_000) }],
    ),
    gauge('sluice_dead_letters', 'Deliveries that were given up and can be sent again.', [{ value: dead }]),
  ]
}

const poolMeasures = ({ inUse, idle, waiting }: PoolCounts): Measure[] => [
  gauge('sluice_database_connections', 'Connections of this instance, without those of its jobs, by state.', [
    { labels: { state: 'in_use' }, value: inUse },
    { labels: { state: 'idle' }, value: idle },
  ]),
  gauge('sluice_database_waiting', 'Requests of this instance that wait for a connection.', [
    { value: waiting },
  ]),
]
