import { aroundCalls, type ChainClient } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import type { TrackingTotals } from '../../engine/tracking/chain-trackers.ts'
import { type Measure, measureText } from '../../server/measures.ts'
import { durationHistogram } from '../../server/metrics.ts'
import type { Sql } from '../../store/sql/sql-types.ts'
import type { ServiceAccess } from '../../swaps/service-access.ts'

/** Counts by one label, as a metric. */
function counter(name: string, help: string, label: string) {
  const counts = new Map<string, number>()
  return {
    add: (value: string) => counts.set(value, (counts.get(value) ?? 0) + 1),
    measure: (): Measure => ({
      ...{ name, help, type: 'counter' },
      samples: [...counts].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    }),
  }
}

/** Requests to one kind of party: how many, how many failed, and how long they took. */
function partyMeter(prefix: string, what: string, label: string) {
  const requests = counter(`${prefix}_requests_total`, `Requests to ${what}.`, label)
  const failures = counter(`${prefix}_failures_total`, `Requests to ${what} without a usable answer.`, label)
  const seconds = durationHistogram(
    `${prefix}_request_duration_seconds`,
    `Time of a request to ${what}.`,
    label,
  )
  return {
    run: async <T>(
      party: string,
      work: () => Promise<T>,
      isFailure: (error: unknown) => boolean,
    ): Promise<T> => {
      const since = performance.now()
      requests.add(party)
      try {
        return await work()
      } catch (error) {
        if (isFailure(error)) failures.add(party)
        throw error
      } finally {
        seconds.observe(party, (performance.now() - since) / 1_000)
      }
    },
    fail: failures.add,
    text: () => measureText([requests.measure(), failures.measure()]) + seconds.text(),
  }
}

/** Values that another part of the server provides for the metrics page, such as the depth of its queues or its pool of connections. */
export type MeasureSource = () => readonly Measure[] | Promise<readonly Measure[]>

/** What a server observes of the chains, the services of swap providers and its database. */
export function observations() {
  const chains = partyMeter('sluice_chain', 'the nodes of a network', 'network')
  const services = partyMeter('sluice_provider', 'the service of a swap provider', 'provider')
  const store = partyMeter('sluice_store', 'the database', 'kind')
  const isFault = (error: unknown) => !(error instanceof AppError && error.code === 'RPC_ERROR')
  return {
    chain: (network: string, client: ChainClient): ChainClient =>
      aroundCalls(client, (_, __, send) => chains.run(network, send, isFault)),
    services: (access: ServiceAccess): ServiceAccess => ({
      ...access,
      exchangeJson: async (request) => {
        const answer = await services.run(
          request.service,
          () => access.exchangeJson(request),
          () => true,
        )
        if (answer.status >= 500 || answer.status === 429) services.fail(request.service)
        return answer
      },
    }),
    /** Reads that the cache answers are not counted. */
    sql: <database extends Sql>(sql: database): database => ({
      ...sql,
      query: (text, values) =>
        store.run(
          'read',
          () => sql.query(text, values),
          () => true,
        ),
      transaction: (work, options) =>
        store.run(
          'write',
          () => sql.transaction(work, options),
          () => true,
        ),
    }),
    /** The metrics page. A source that fails leaves out its own values only. */
    text: async (
      tracking: () => readonly TrackingTotals[],
      sources: readonly MeasureSource[],
    ): Promise<string> => {
      const more = await Promise.all(
        sources.map(async (source) => source()).map((one) => one.catch(() => [])),
      )
      return (
        chains.text() +
        services.text() +
        store.text() +
        measureText([...trackingMeasures(tracking()), ...more.flat()])
      )
    },
  }
}

const trackingMeasures = (totals: readonly TrackingTotals[]): Measure[] => {
  const of = (name: string, help: string, type: Measure['type'], value: (one: TrackingTotals) => number) => ({
    ...{ name: `sluice_tracking_${name}`, help, type },
    samples: totals.map((one) => ({ labels: { network: one.network }, value: value(one) })),
  })
  return [
    of(
      'passes_total',
      'Passes over the head of a network for its open actions.',
      'counter',
      (one) => one.passes,
    ),
    of('requests_total', 'Requests of these passes to the nodes.', 'counter', (one) => one.requests),
    of('actions_read_total', 'Actions that these passes read.', 'counter', (one) => one.read),
    of('failures_total', 'Passes that failed.', 'counter', (one) => one.failures),
    of('block', 'The newest block that was followed.', 'gauge', (one) => one.block),
  ]
}
