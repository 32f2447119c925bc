import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** How long requests took, by route, as a histogram of Prometheus. Every request is in it: to count one looks nothing up but its route. */
type Durations = { observe: (route: string, seconds: number) => void; text: () => string }

/** The upper ends of the buckets, in seconds. */
const ends = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** An empty histogram; `text` is its part of the page. A route is one of ours and needs no escapes. */
export function durations(name: string, help: string): Durations {
  const routes = new Map<string, { counts: number[]; sum: number }>()
  const lines = (route: string, { counts, sum }: { counts: readonly number[]; sum: number }) => {
    let below = 0
    const buckets = counts.map((count, at) => {
      below += count
      return `${name}_bucket{le="${ends[at] ?? '+Inf'}",route="${route}"} ${below}`
    })
    return [...buckets, `${name}_sum{route="${route}"} ${sum}`, `${name}_count{route="${route}"} ${below}`]
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

/** What the server counts, and its page in the text format of Prometheus. No label holds who asked. */
export type Metrics = {
  /** `route` is the pattern of a path; none where there is nothing. */
  answered: (route: string | undefined, request: FastifyRequest, reply: FastifyReply) => void
  limited: () => void
  page: () => Promise<string>
  contentType: string
}

/** What the process says of itself. All servers of a process share it: it watches the event loop and the garbage collector for good. */
let ofProcess: Registry | undefined

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'sluice_' })
  }
  return ofProcess
}

/** Counters of one server, and which of its chains answered last. */
export function metricsOf(chains: () => readonly { network: string; isUp: boolean }[] = () => []): Metrics {
  const registry = new Registry()
  const both = [processMetrics(), registry]
  const registers = [registry]
  /** Each request is counted here by status, method and route, and told when the page is asked for: labels cost more than counting. */
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
  const seconds = durations(
    'sluice_http_request_duration_seconds',
    'Time from the head of a request to the end of its answer, by route.',
  )
  const limited = new Counter({
    name: 'sluice_http_rate_limited_total',
    help: 'Requests refused because their key had no place left.',
    registers,
  })
  new Gauge({
    name: 'sluice_chain_up',
    help: 'Whether a network answered when it was last asked, and lists have it: 1, also before it was asked, or 0.',
    labelNames: ['network'] as const,
    registers,
    collect() {
      this.reset()
      for (const { network, isUp } of chains()) this.set({ network }, isUp ? 1 : 0)
    },
  })
  return {
    answered: (route = 'none', { method }, { statusCode, elapsedTime }) => {
      const routes = within(within(counts, statusCode), method)
      routes.set(route, (routes.get(route) ?? 0) + 1)
      seconds.observe(route, elapsedTime / 1000)
    },
    limited: () => limited.inc(),
    page: async () => `${await Registry.merge(both).metrics()}\n${seconds.text()}`,
    contentType: registry.contentType,
  }
}

/** The map under a key, which is made where there is none. */
function within<key, inner>(all: Map<key, Map<string, inner>>, key: key): Map<string, inner> {
  const found = all.get(key) ?? new Map<string, inner>()
  all.set(key, found)
  return found
}
