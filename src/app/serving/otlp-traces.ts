import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Context, Span } from '@opentelemetry/api'
import { aroundCalls, type ChainClient } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import type { OnRequestEnd } from '../../server/app.ts'

const load = createRequire(import.meta.url)

/** Traces of a server: a span for each request, and one inside of it for each exchange with a node. */
export type Traces = {
  /** Runs the work of a request inside of its span. */
  within: <value>(request: object, work: () => value) => value
  onEnd: OnRequestEnd
  /** A chain whose exchanges have spans, if a request waits for them. */
  chain: (network: string, client: ChainClient) => ChainClient
  /** Sends the spans that are not sent yet. */
  stop: () => Promise<void>
}

/** The URL that traces go to, by the variables of OpenTelemetry; `undefined` if none is set. */
export function tracesUrl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = env
  const url = own || (base ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined)
  if (url === undefined || env.OTEL_SDK_DISABLED === 'true') return undefined
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url
  throw new AppError(
    'CONFIG_INVALID',
    'The endpoint of OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL',
    {
      next: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318',
    },
  )
}

/** A customer in a trace: a digest, so that traces show which requests belong together and not to whom. */
const digest = (customer: string): string =>
  createHash('sha256').update(`customer of sluice: ${customer}`).digest('hex').slice(0, 16)

/** The time that the last spans may take when the server stops, in ms. */
const stopMs = 3_000

/** Opens traces to an OTLP/HTTP receiver. Nothing of a query, a header but `traceparent`, a body or the path of a node is in a span. */
export function otlpTraces(
  url: string,
  { version, env }: { version: string; env: Readonly<Record<string, string | undefined>> },
): Traces {
  const api = load('@opentelemetry/api') as typeof import('@opentelemetry/api')
  const { OTLPTraceExporter } = load(
    '@opentelemetry/exporter-trace-otlp-http',
  ) as typeof import('@opentelemetry/exporter-trace-otlp-http')
  const { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } = load(
    '@opentelemetry/sdk-trace',
  ) as typeof import('@opentelemetry/sdk-trace')
  const { resourceFromAttributes } = load(
    '@opentelemetry/resources',
  ) as typeof import('@opentelemetry/resources')
  const { OTEL_SERVICE_NAME: name = 'sluice', OTEL_TRACES_SAMPLER_ARG: part } = env
  const ratio = part !== undefined && Number(part) >= 0 && Number(part) <= 1 ? Number(part) : 1
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  })
  const tracer = provider.getTracer('sluice', version)
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace, TraceFlags } = api
  const current = new AsyncLocalStorage<Context>()
  const spans = new WeakMap<object, Span>()

  /** The span of the caller, if it names one (W3C Trace Context, version 00). */
  const callerOf = (request: object): Context => {
    const { headers } = request as { headers?: { traceparent?: unknown } }
    const [, traceId, spanId, flags] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(headers?.traceparent)) ?? []
    if (!traceId || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return ROOT_CONTEXT
    const traceFlags = Number.parseInt(flags!, 16) & TraceFlags.SAMPLED
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: spanId!, traceFlags, isRemote: true })
  }
  const begin = (request: object, startTime: number): Span => {
    const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, callerOf(request))
    spans.set(request, span)
    return span
  }
  return {
    within: (request, work) => current.run(trace.setSpan(ROOT_CONTEXT, begin(request, Date.now())), work),
    onEnd: (request, { route, status, customer, ms }) => {
      const span = spans.get(request) ?? begin(request, Date.now() - ms)
      span.updateName(`${request.method} ${route ?? 'none'}`)
      span.setAttributes({
        'http.request.method': request.method,
        'http.response.status_code': status,
        ...(route !== undefined && { 'http.route': route }),
        ...(customer !== undefined && { 'sluice.customer': digest(customer) }),
      })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    chain: (network, client) =>
      aroundCalls(client, async ({ host }, methods, send) => {
        const parent = current.getStore()
        if (!parent) return send()
        const method = methods.length === 1 ? methods[0]! : 'batch'
        const span = tracer.startSpan(
          method,
          {
            kind: SpanKind.CLIENT,
            attributes: {
              ...{ 'rpc.system': 'jsonrpc', 'rpc.method': method, 'server.address': host },
              ...{ 'sluice.network': network, 'sluice.calls': methods.length },
            },
          },
          parent,
        )
        try {
          return await send()
        } catch (error) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            ...(error instanceof AppError && { message: error.code }),
          })
          throw error
        } finally {
          span.end()
        }
      }),
    stop: async () => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopMs)
      })
      await Promise.race([provider.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
    },
  }
}
