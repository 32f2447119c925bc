import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { olderRoutes } from '../api/older-routes.ts'
import { AppError } from '../domain/errors.ts'
import {
  type Access,
  type Allow,
  authenticate,
  callerIn,
  prepare,
  servedIn,
  setCaller,
  wrongKeyCounter,
} from './authentication.ts'
import { docsPage } from './docs-page.ts'
import { allowedOn, type Said, said, unread } from './errors.ts'
import { caps, refuseTunnels, refuseUnlawful } from './http-request-limits.ts'
import { failed, type Log, requestLines } from './log.ts'
import { type Metrics, metricsOf } from './metrics.ts'
import { openapi } from './openapi.ts'
import { readBody, refuseCharset, refuseEncoding } from './parse-json-body.ts'
import { answering, type Sent } from './route-handler.ts'
import { type Served, servedRoutes } from './served-routes.ts'
import { addPage } from './web-page.ts'

/** Who is told when something took too long: `begin` and `end` say what is under way, `close` stops looking. */
type Deadline<one> = { begin: (one: one) => void; end: (one: one) => void; close: () => void }

/** How often one looks while the time of something runs. */
const looks = 10

/**
 * Tells of whatever is not over `ms` after it began, or a tenth of it later. One timer is for all, so that what is over in time has
 * cost next to nothing.
 */
function deadlineOf<one>(ms: number, late: (one: one) => void): Deadline<one> {
  /** What is under way, by the look that it began after; the oldest comes first. */
  const underWay = new Map<one, number>()
  let look = 0
  const timer = setInterval(() => {
    look++
    for (const [one, began] of underWay) {
      if (look - began <= looks) break
      underWay.delete(one)
      late(one)
    }
  }, ms / looks)
  timer.unref()
  return {
    begin: (one) => underWay.set(one, look),
    end: (one) => underWay.delete(one),
    close: () => clearInterval(timer),
  }
}

/** The pages about the service that need no key: the OpenAPI document, a page to read it, whether it lives, and its counters. */
function addPages(
  app: FastifyInstance,
  metrics: Metrics,
  { version = '0.0.0', works = () => true }: { version?: string; works?: () => boolean },
): void {
  let document: string | undefined
  const text = () => (document ??= JSON.stringify(openapi(version)))
  app.get('/openapi.json', async (_, reply) => as(reply, 'application/json; charset=utf-8', text()))
  app.get('/docs', async (_, reply) => {
    // Nothing on this page runs or is fetched, wherever it comes from.
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    return as(reply, 'text/html; charset=utf-8', docsPage(openapi(version)))
  })
  app.get('/healthz', async (_, reply) => {
    const isWell = works()
    if (!isWell) reply.code(503)
    return as(reply, 'application/json; charset=utf-8', JSON.stringify({ status: isWell ? 'ok' : 'failing' }))
  })
  app.get('/metrics', async (_, reply) => as(reply, metrics.contentType, await metrics.page()))
}

function as(reply: FastifyReply, type: string, text: string): string {
  reply.header('content-type', type)
  return text
}

/** Whether a network answered when it was last asked. */
export type ChainState = { network: string; isUp: boolean }

/** What the service is served with: who may ask, how often, where the log goes (nowhere without one), and how it is reached. */
export type AppNeeds = {
  access: Access
  allow: Allow
  log?: Log
  tls?: { cert: string; key: string }
  behindProxy?: boolean
  version?: string
  /** Which networks answered when they were last asked. */
  chains?: () => readonly ChainState[]
  /** Does the work of a request, so that the calls which that takes are known to be its own. */
  within?: <value>(request: object, work: () => value) => value
  /** The networks that a request waits for. */
  slow?: (request: object) => readonly string[]
  /** Whether requests can be answered at all; without it they can. */
  works?: () => boolean
  /** How long an answer may take. */
  deadlineMs?: number
}

/** Shorter than clients wait, who hear nothing else of what went wrong. */
const deadlineMs = 13_000

/** What the log and the counters say of a request whose client was gone before its answer; nobody is sent it. */
const hungUp = 499

/** The service over HTTP: every route of the contract, the deprecated ones, and the pages about it. Nothing listens yet. */
export function createApp(needs: AppNeeds): FastifyInstance {
  const { log } = needs
  const metrics = metricsOf(needs.chains)
  const logged = log && requestLines(log)
  const ended = (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url
    metrics.answered(route, request, reply)
    logged?.(route, request, reply)
  }
  const gone = new WeakSet<FastifyReply>()
  /** Whether whoever asked is gone: nobody is answered, and it is one line as every request is. */
  const isGone = (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!reply.raw.destroyed) return false
    // First its time may be over, and then its answer be there.
    if (!gone.has(reply)) ended(request, reply.code(hungUp))
    gone.add(reply)
    return true
  }
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    deadline.end(reply)
    if (reply.sent || isGone(request, reply)) return
    if (isClosing) reply.header('connection', 'close')
    const { status } = refused(error, request, reply)
    if (status >= 500 && log) failed(log, request, error)
    if (status === 429) metrics.limited()
  }
  const deadline = deadlineOf<FastifyReply>(needs.deadlineMs ?? deadlineMs, (reply) => {
    const { route } = servedIn(reply.request) ?? {}
    const seen = callerIn(reply.request)?.sees ?? (() => true)
    const cause = new Error('there was no answer in time')
    const missing = (needs.slow?.(reply.request) ?? []).filter(seen)
    refuse(unread(missing, route?.path ?? '', cause), reply.request, reply)
  })
  const ready = (reply: FastifyReply) => {
    deadline.end(reply)
    if (reply.sent || isGone(reply.request, reply)) return
    if (isClosing) reply.header('connection', 'close')
  }
  const app = fastify({
    ...caps,
    // What the router refuses comes before any hook, and in its own words.
    frameworkErrors: refuse as never,
    ...(needs.tls && { https: needs.tls }),
    trustProxy: needs.behindProxy ? 'loopback, linklocal, uniquelocal' : false,
    logger: false,
  }) as unknown as FastifyInstance
  prepare(app)
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
  // Hooks that wait for nothing cost nothing to wait for.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    const refusal = isClosing ? stopping() : refuseUnlawful(request.raw)
    if (refusal) reply.header('connection', 'close')
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
    const methods = allowedOn(app, path!)
    if (methods.length === 0)
      throw new AppError('NOT_FOUND', `There is no endpoint ${request.method} ${path}`)
    throw new AppError('METHOD_NOT_ALLOWED', `${path} is for ${methods.join(', ')}`, {
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
    addRoute(app, served, admit, { begin: deadline.begin, ready, within: needs.within ?? plainly })
  addPages(app, metrics, needs)
  addPage(app, admit)
  return app
}

type Timed = Record<'begin' | 'ready', (reply: FastifyReply) => void> & Required<Pick<AppNeeds, 'within'>>
const plainly: Timed['within'] = (_, work) => work()

function addRoute(
  app: FastifyInstance,
  served: Served,
  admit: (request: FastifyRequest) => Promise<void>,
  { begin, ready, within }: Timed,
): void {
  const { route, successor } = served
  const answer = answering(served, ready)
  app.route({
    method: route.method,
    url: route.path.replaceAll('{', ':').replaceAll('}', ''),
    config: { served },
    onRequest: admit,
    handler: (request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8')
      if (successor) reply.headers(deprecation(successor.path, request.params))
      begin(reply)
      return within(request, () => answer(callerIn(request)!.service, request as Sent, reply))
    },
  })
}

/** What is asked on a connection that was kept alive, after the server began to stop. */
const stopping = () => new AppError('SERVICE_UNAVAILABLE', 'This server is stopping')

/** Since v2 came, in January 2026 (RFC 9745: a date as `@` and Unix seconds), and where to go (RFC 8288). */
const deprecation = (path: string, named: unknown) => ({
  deprecation: '@1767225600',
  link: `<${filled(path, named as Record<string, string>)}>; rel="successor-version"`,
})

/** A path with what the request named in it. */
const filled = (path: string, named: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (template, name: string) =>
    Object.hasOwn(named, name) ? encodeURIComponent(named[name]!.toWellFormed()) : template,
  )

/** Every failure as the one envelope. What nobody expected is logged with its cause, and not told. */
function refused(error: unknown, request: FastifyRequest, reply: FastifyReply): Said {
  const { successor, route } = servedIn(request) ?? {}
  const refusal = said(error, route?.path)
  if (successor) reply.headers(deprecation(successor.path, request.params))
  // What is left of a body that nobody read is not waited for.
  if (!request.raw.complete) reply.header('connection', 'close')
  reply
    .code(refusal.status)
    .headers({ 'content-type': 'application/json; charset=utf-8', ...refusal.headers })
    .send(JSON.stringify(refusal.body))
  return refusal
}
