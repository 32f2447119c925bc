import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What the server counts, and its page in the text format of Prometheus. No label holds who asked. */
export type Metrics = {
  /** `route` is the pattern of a path; none where there is nothing. */
  answered: (route: string | undefined, request: FastifyRequest, reply: FastifyReply) => void
  limited: () => void
  page: () => Promise<string>
  contentType: string
}

/** Counters of one server. */
export function metricsOf(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'sluice_' })
  const registers = [registry]
  const requests = new Counter({
    name: 'sluice_http_requests_total',
    help: 'Requests answered, by route, method and status.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by route.',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const limited = new Counter({
    name: 'sluice_http_rate_limited_total',
    help: 'Requests refused because their key had no place left.',
    registers,
  })
  return {
    answered: (route = 'none', request, reply) => {
      requests.inc({ route, method: request.method, status: reply.statusCode })
      seconds.observe({ route }, reply.elapsedTime / 1000)
    },
    limited: () => limited.inc(),
    page: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
