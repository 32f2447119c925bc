import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { missingEndpoint } from '../api/error-envelope.ts'
import { olderRoutes } from '../api/older-routes.ts'
import { draftHeader } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import {
  authenticate,
  type CallerLookup,
  callerOf,
  type RequestAdmission,
  reserveCaller,
  servedRouteOf,
  setCaller,
  wrongKeyCounter,
} from './authentication.ts'
import { docsPage } from './docs-page.ts'
import { allowedMethods, type ErrorAnswer, errorAnswer, unreadNetworksError } from './errors.ts'
import { forgetTypeOfNothing, refuseTunnels, refuseUnlawful, requestLimits } from './http-request-limits.ts'
import { type IdempotentRequests, idempotencyHeader, replayedHeader, runOnce } from './idempotency.ts'
import { type LogSink, logFailure, requestLines } from './log.ts'
import { type Metrics, metricsOf } from './metrics.ts'
import { openapi } from './openapi.ts'
import { refuseForeignHost } from './own-host.ts'
import { readBody, refuseCharset, refuseEncoding } from './parse-json-body.ts'
import { readinessOf } from './readiness.ts'
import { type KeepText, type ReceivedRequest, routeHandler } from './route-handler.ts'
import { type Served, servedRoutes } from './served-routes.ts'
import { addUpdates, type UpdateLimits } from './updates.ts'
import { addPage } from './web-page.ts'

/** Calls back for items that exceed a time limit: `begin` and `end` mark an item, `close` stops the timer. */
type Deadline<one> = { begin: (one: one) => void; end: (one: one) => void; close: () => void }

/** Number of checks within the time limit. */
const checksPerLimit = 10

/**
 * Calls `late` for each item that has not ended within `ms`, at most a tenth of that later. All items share one
 * timer, so that an item that ends in time costs almost nothing.
 */
function deadlineOf<one>(ms: number, late: (one: one) => void): Deadline<one> {
  /** The open items and the check after which each began; oldest first. */
  const underWay = new Map<one, number>()
  let look = 0
  const timer = setInterval(() => {
    look++
    for (const [one, began] of underWay) {
      if (look - began <= checksPerLimit) break
      underWay.delete(one)
      late(one)
    }
  }, ms / checksPerLimit)
  timer.unref()
  return {
    begin: (one) => underWay.set(one, look),
    end: (one) => underWay.delete(one),
    close: () => clearInterval(timer),
  }
}

/** Adds the pages that need no key: the OpenAPI document, its HTML page, the health check and the metrics. */
function addPages(
  app: FastifyInstance,
  metrics: Metrics,
  needs: Pick<AppNeeds, 'version' | 'behindProxy' | 'tls' | 'ready'>,
): void {
  const { version = '0.0.0', ready = readinessOf([]) } = needs
  const onRequest = refuseForeignHost(needs)
  let document: string | undefined
  const text = () => (document ??= JSON.stringify(openapi(version)))
  app.get('/openapi.json', { onRequest }, async (_, reply) =>
    withContentType(reply, 'application/json; charset=utf-8', text()),
  )
  app.get('/docs', { onRequest }, async (_, reply) => {
    // This page runs no scripts and fetches nothing.
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    return withContentType(reply, 'text/html; charset=utf-8', docsPage(openapi(version)))
  })
  // Only of the process: one that is restarted does not bring its database back.
  app.get('/healthz', { onRequest }, async (_, reply) =>
    withContentType(reply, 'application/json; charset=utf-8', '{"status":"ok"}'),
  )
  app.get('/readyz', { onRequest }, async (request, reply) => {
    const { require: required = [] } = request.query as { require?: string | string[] }
    const readiness = await ready([required].flat())
    if (readiness.status !== 'ready') reply.code(503)
    return withContentType(reply, 'application/json; charset=utf-8', JSON.stringify(readiness))
  })
  app.get('/metrics', { onRequest }, async (_, reply) =>
    withContentType(reply, metrics.contentType, await metrics.page()),
  )
}

function withContentType(reply: FastifyReply, type: string, text: string): string {
  reply.header('content-type', type)
  return text
}

/** Called with a request that has ended: the pattern of its path, its customer if authenticated, and how long it took, in ms. */
export type OnRequestEnd = (
  request: FastifyRequest,
  answer: { route: string | undefined; status: number; customer: string | undefined; ms: number },
) => void

/** Whether a network answered the last request. */
export type ChainState = { network: string; isUp: boolean }

/** Inputs of the server: authentication, rate limits, the log (none by default), and how clients reach it. */
export type AppNeeds = {
  access: CallerLookup
  allow: RequestAdmission
  log?: LogSink
  tls?: { cert: string; key: string }
  behindProxy?: boolean
  version?: string
  /** Which networks answered their last request. */
  chains?: () => readonly ChainState[]
  /** Runs the work of a request, so that its RPC calls are attributed to it. */
  within?: <value>(request: object, work: () => value) => value
  /** The networks that a request is waiting for. */
  slow?: (request: object) => readonly string[]
  /** Keeps requests with an idempotency key; without it the header has no effect. */
  idempotent?: IdempotentRequests
  /** Reads whether the server is ready, with the chains that are required. Default: it is. */
  ready?: ReturnType<typeof readinessOf>
  /** Further metrics in the text format of Prometheus. */
  moreMetrics?: () => Promise<string>
  /** Called once for each request, after its answer was sent or its client disconnected. */
  onEnd?: OnRequestEnd
  /** The limits of the streams of GET /updates; default: those of a server. */
  updates?: UpdateLimits
  /** Time limit of an answer, in ms. */
  deadlineMs?: number
}

/** Shorter than the timeout of clients, so that they receive the error. */
const deadlineMs = 13_000

/** The status in log and metrics for a request whose client disconnected before the answer; never sent. */
const clientClosedStatus = 499

/** Creates the HTTP server: all routes of the contract, the deprecated ones and the pages. It does not listen yet. */
export function createApp(needs: AppNeeds): FastifyInstance {
  const { log } = needs
  let streams = () => 0
  const metrics = metricsOf(needs.chains, needs.moreMetrics, () => streams())
  const logged = log && requestLines(log)
  const ended = (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url
    metrics.answered(route, request, reply)
    logged?.(route, request, reply)
    const { customer } = callerOf(request) ?? {}
    needs.onEnd?.(request, { route, status: reply.statusCode, customer, ms: reply.elapsedTime })
  }
  const gone = new WeakSet<FastifyReply>()
  /** Whether the client has disconnected. Then nothing is sent, and the request is logged once. */
  const isGone = (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!reply.raw.destroyed) return false
    // Called twice if the time limit passes and the answer arrives afterwards.
    if (!gone.has(reply)) ended(request, reply.code(clientClosedStatus))
    gone.add(reply)
    return true
  }
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    deadline.end(reply)
    if (reply.sent || isGone(request, reply)) return
    if (isClosing) reply.header('connection', 'close')
    const { status } = sendError(error, request, reply)
    if (status >= 500 && log) logFailure(log, request, error)
    if (status === 429) metrics.limited()
  }
  const deadline = deadlineOf<FastifyReply>(needs.deadlineMs ?? deadlineMs, (reply) => {
    const { route } = servedRouteOf(reply.request) ?? {}
    const seen = callerOf(reply.request)?.sees ?? (() => true)
    const cause = new Error('the request timed out')
    const missing = (needs.slow?.(reply.request) ?? []).filter(seen)
    refuse(unreadNetworksError(missing, route?.path ?? '', cause), reply.request, reply)
  })
  const ready = (reply: FastifyReply) => {
    deadline.end(reply)
    if (reply.sent || isGone(reply.request, reply)) return
    if (isClosing) reply.header('connection', 'close')
  }
  const app = fastify({
    ...requestLimits,
    // The router reports its errors before any hook, in its own words.
    frameworkErrors: refuse as never,
    ...(needs.tls && { https: needs.tls }),
    trustProxy: needs.behindProxy ? 'loopback, linklocal, uniquelocal' : false,
    logger: false,
  }) as unknown as FastifyInstance
  reserveCaller(app)
  refuseTunnels(app.server)
  let isClosing = false
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseCharset(request.headers['content-type'])
      refuseEncoding(request.headers['content-encoding'])
      done(null, (bytes as Buffer).length === 0 ? undefined : readBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  // Callback hooks are cheaper than async ones.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    const refusal = isClosing ? stoppingError() : refuseUnlawful(request.raw)
    if (refusal) reply.header('connection', 'close')
    forgetTypeOfNothing(request.headers)
    done(refusal)
  })
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onClose', async () => deadline.close())
  app.addHook('onResponse', (request, reply, done) => {
    ended(request, reply)
    done()
  })
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request) => {
    const [path] = request.url.split('?')
    const methods = allowedMethods(app, path!)
    if (methods.length === 0) throw missingEndpoint(`${request.method} ${path}`)
    throw new AppError('METHOD_NOT_ALLOWED', `${path} accepts only ${methods.join(', ')}`, {
      details: { allow: methods },
    })
  })
  const wrongKeys = wrongKeyCounter(Date.now)
  const admit = (request: FastifyRequest): Promise<void> =>
    authenticate(needs, request.headers['x-api-key'] as string | undefined, {
      wrong: () => wrongKeys.wrong(request.ip),
      known: (caller) => setCaller(request, caller),
    })
  for (const served of servedRoutes(olderRoutes))
    addRoute(app, served, admit, {
      begin: deadline.begin,
      ready,
      within: needs.within ?? plainly,
      idempotent: needs.idempotent,
    })
  addPages(app, metrics, needs)
  streams = addUpdates(app, admit, needs.updates).open
  addPage(app, admit, refuseForeignHost(needs))
  return app
}

type Timed = Record<'begin' | 'ready', (reply: FastifyReply) => void> &
  Required<Pick<AppNeeds, 'within'>> & { idempotent: AppNeeds['idempotent'] }
const plainly: Timed['within'] = (_, work) => work()

function addRoute(
  app: FastifyInstance,
  served: Served,
  admit: (request: FastifyRequest) => Promise<void>,
  { begin, ready, within, idempotent }: Timed,
): void {
  const { route, successor } = served
  const answer = routeHandler(served, ready)
  app.route({
    method: route.method,
    url: route.path.replaceAll('{', ':').replaceAll('}', ''),
    config: { served },
    onRequest: admit,
    handler: (request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8')
      if (successor) reply.headers(deprecation(successor.path, request.params))
      begin(reply)
      const { service, customer } = callerOf(request)!
      const run = (keep?: KeepText) => answer(service, request as ReceivedRequest, reply, keep)
      const key = route.method === 'POST' ? request.headers[idempotencyHeader] : undefined
      if (key === undefined || !idempotent) return within(request, () => run())
      const { method, url, body, headers } = request
      return within(request, () =>
        runOnce(
          idempotent,
          { customer, key, method, url, body, isDraft: headers[draftHeader] !== undefined },
          {
            now: Date.now,
            run,
            replay: (text) => {
              reply.header(replayedHeader, 'true')
              ready(reply)
              return text
            },
          },
        ),
      )
    },
  })
}

/** The error for a request on a kept-alive connection after the server began to stop. */
const stoppingError = () => new AppError('SERVICE_UNAVAILABLE', 'This server is stopping')

/**
 * Deprecated since v2 in January 2026 (RFC 9745: a date as `@` and Unix seconds); the link names the successor (RFC
 * 8288).
 */
const deprecation = (path: string, named: unknown) => ({
  deprecation: '@1767225600',
  link: `<${filledPath(path, named as Record<string, string>)}>; rel="successor-version"`,
})

/** Fills the parameters of the request into a path template. */
const filledPath = (path: string, named: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (template, name: string) =>
    Object.hasOwn(named, name) ? encodeURIComponent(named[name]!.toWellFormed()) : template,
  )

/** Answers an error with the error envelope. The log gets the cause of an unexpected error, the client does not. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): ErrorAnswer {
  const { successor, route } = servedRouteOf(request) ?? {}
  const refusal = errorAnswer(error, route?.path)
  if (successor) reply.headers(deprecation(successor.path, request.params))
  // Do not wait for the rest of an unread body.
  if (!request.raw.complete) reply.header('connection', 'close')
  reply
    .code(refusal.status)
    .headers({ 'content-type': 'application/json; charset=utf-8', ...refusal.headers })
    .send(JSON.stringify(refusal.body))
  return refusal
}
