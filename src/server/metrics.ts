import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/**
 * Durations by the value of one label, such as the route of a request, as a Prometheus histogram. It sees every request, so recording one looks up
 * only that value.
 */
type Durations = { observe: (route: string, seconds: number) => void; text: () => string }

/** Upper bounds of the buckets, in seconds. */
const ends = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates an empty histogram; `text` renders it. The values of its label are constants and need no escaping. */
export function durationHistogram(name: string, help: string, label = 'route'): Durations {
  const routes = new Map<string, { counts: number[]; sum: number }>()
  const lines = (route: string, { counts, sum }: { counts: readonly number[]; sum: number }) => {
    let below = 0
    const buckets = counts.map((count, at) => {
      below += count
      return `${name}_bucket{le="${ends[at] ?? '+Inf'}",${label}="${route}"} ${below}`
    })
    return [
      ...buckets,
      `${name}_sum{${label}="${route}"} ${sum}`,
      `${name}_count{${label}="${route}"} ${below}`,
    ]
  }
  return {
    observe: (route, seconds) => {
      const found = routes.get(route) ?? { counts: [...ends, 0].map(() => 0), sum: 0 }
      routes.set(route, found)
      let bucket = 0
      while (seconds > ends[bucket]!) bucket++
      found.counts[bucket]!++
      found.sum += seconds
    },
    text: () =>
      `${[`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...[...routes].flatMap(([route, found]) => lines(route, found))].join('\n')}\n`,
  }
}

/** The server's counters and their page in the text format of Prometheus. No label identifies a caller. */
export type Metrics = {
  /** `route` is the pattern of a path; `undefined` for an unknown path. */
  answered: (route: string | undefined, request: FastifyRequest, reply: FastifyReply) => void
  limited: () => void
  page: () => Promise<string>
  contentType: string
}

/**
 * Metrics of the process, shared by all its servers: they observe the event loop and the garbage collector until it
 * exits.
 */
let ofProcess: Registry | undefined

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'sluice_' })
  }
  return ofProcess
}

/** Creates the counters of one server, with the state of its chains. `more` returns further metrics as text, `streams` how many streams of updates are open. */
export function metricsOf(
  chains: () => readonly { network: string; isUp: boolean }[] = () => [],
  more: () => Promise<string> = async () => '',
  streams: () => number = () => 0,
): Metrics {
  const registry = new Registry()
  const both = [processMetrics(), registry]
  const registers = [registry]
  /**
   * Requests are counted here by status, method and route, and converted when the page is read: labels cost more than
   * counting.
   */
  const counts = new Map<number, Map<string, Map<string, number>>>()
  new Counter({
    name: 'sluice_http_requests_total',
    help: 'Requests answered, by route, method and status.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
    collect() {
      this.reset()
      for (const [status, methods] of counts)
        for (const [method, routes] of methods)
          for (const [route, count] of routes) this.inc({ route, method, status }, count)
    },
  })
  const seconds = durationHistogram(
    'sluice_http_request_duration_seconds',
    'Time from the headers of a request to the end of its response, by route.',
  )
  const limited = new Counter({
    name: 'sluice_http_rate_limited_total',
    help: 'Requests refused because their key had reached a limit.',
    registers,
  })
  new Gauge({
    name: 'sluice_chain_up',
    help: '1 if a network answered the last request or was not asked yet; 0 if not: lists then omit it.',
    labelNames: ['network'] as const,
    registers,
    collect() {
      this.reset()
      for (const { network, isUp } of chains()) this.set({ network }, isUp ? 1 : 0)
    },
  })
  new Gauge({
    name: 'sluice_update_streams',
    help: 'Open streams of GET /updates.',
    registers,
    collect() {
      this.set(streams())
    },
  })
  return {
    answered: (route = 'none', { method }, { statusCode, elapsedTime }) => {
      const routes = within(within(counts, statusCode), method)
      routes.set(route, (routes.get(route) ?? 0) + 1)
      seconds.observe(route, elapsedTime / 1000)
    },
    limited: () => limited.inc(),
    page: async () => `${await Registry.merge(both).metrics()}\n${seconds.text()}${await more()}`,
    contentType: registry.contentType,
  }
}

/** Returns the inner map of a key; creates it if missing. */
function within<key, inner>(all: Map<key, Map<string, inner>>, key: key): Map<string, inner> {
  const found = all.get(key) ?? new Map<string, inner>()
  all.set(key, found)
  return found
}
