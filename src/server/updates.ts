import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { callerOf } from './authentication.ts'
import { validationError } from './route-handler.ts'

/** An event of a customer. `cursor` is its place among all of them. */
export type Update = {
  id: string
  type: string
  subject: string
  cursor: string
  data?: Readonly<Record<string, unknown>>
}

/** How the events of a customer are read: those after a cursor and not before a time (ISO 8601), in their order. */
export type UpdateReader = (asked: {
  after?: string
  since?: string
  limit: number
}) => Promise<{ events: readonly Update[]; cursor: string; hasMore: boolean }>

/** The waits of the streams, in ms, and how many there may be. */
export type UpdateLimits = {
  pollMs: number
  heartbeatMs: number
  /** A stream ends after this time, so that a key that was revoked ends too; its client goes on from the last event. */
  longestMs: number
  ofCustomer: number
  ofServer: number
}

/** The limits of a server. */
const usual: UpdateLimits = {
  ...{ pollMs: 1_000, heartbeatMs: 15_000, longestMs: 10 * 60_000 },
  ...{ ofCustomer: 20, ofServer: 1_000 },
}

/** How many events one read returns. */
const eventsAtOnce = 100

type Filter = { wallet: string | undefined; action: string | undefined }
type Place = { after?: string; since?: string }

/**
 * Adds `GET /updates`: the events of a customer as server-sent events, those of a wallet or an action if one is named. A client that was cut off
 * goes on after the event that it names in `Last-Event-ID`. A customer whose service has no events gets NOT_FOUND, and polls. `open` counts the streams.
 */
export function addUpdates(
  app: FastifyInstance,
  admit: (request: FastifyRequest) => Promise<void>,
  limits: UpdateLimits = usual,
): { open: () => number } {
  const open = new Map<ServerResponse, string>()
  const reads = new Map<string, Promise<Awaited<ReturnType<UpdateReader>>>>()
  /** Reads events once for all streams of a customer at the same place. */
  const read = (customer: string, reader: UpdateReader, place: Place) => {
    const key = JSON.stringify([customer, place])
    const known = reads.get(key)
    if (known) return known
    const asked = reader({ ...place, limit: eventsAtOnce })
    reads.set(key, asked)
    const forget = () => reads.delete(key)
    asked.then(() => setTimeout(forget, limits.pollMs / 2).unref(), forget)
    return asked
  }
  const timer = setInterval(() => {
    for (const stream of open.keys()) if (!stream.writableNeedDrain) stream.write(': heartbeat\n\n')
  }, limits.heartbeatMs)
  timer.unref()
  app.addHook('preClose', (done) => {
    clearInterval(timer)
    for (const stream of open.keys()) stream.end()
    done()
  })
  app.get('/updates', { onRequest: admit }, async (request, reply) => {
    const { customer, service } = callerOf(request)!
    const { listEvents } = service as { listEvents?: UpdateReader }
    if (!listEvents) throw new AppError('NOT_FOUND', 'This service has no events')
    const filter = filterOf(request.query as Record<string, unknown>)
    const place = placeOf(request.headers['last-event-id'])
    const own = [...open.values()].filter((one) => one === customer).length
    if (own >= limits.ofCustomer || open.size >= limits.ofServer)
      throw new AppError('RATE_LIMITED', 'too many streams are open', { details: { retryAfter: 30 } })
    const stream = begin(reply)
    open.set(stream, customer)
    stream.once('close', () => open.delete(stream))
    // A client that is cut off before its first event goes on from this time.
    if (place.since !== undefined) stream.write(`id: @${Date.parse(place.since)}\nevent: open\ndata: {}\n\n`)
    follow(stream, place, filter, (at) => read(customer, listEvents, at), limits).catch(() =>
      stream.destroy(),
    )
    return reply
  })
  return { open: () => open.size }
}

/** Sends the head of a stream, and leaves the rest of the answer to it. */
function begin(reply: FastifyReply): ServerResponse {
  const headers = reply.getHeaders() as Record<string, string>
  reply.hijack()
  const { raw } = reply
  // A proxy must not gather the events.
  raw.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  raw.write('retry: 3000\n\n')
  return raw
}

/** Writes events until the stream ends. A reader that takes nothing for as long as a heartbeat is closed; it holds at most one read of events. */
async function follow(
  stream: ServerResponse,
  start: Place,
  filter: Filter,
  read: (place: Place) => ReturnType<UpdateReader>,
  { pollMs, heartbeatMs, longestMs }: UpdateLimits,
): Promise<void> {
  const until = performance.now() + longestMs
  let place = start
  let blockedSince: number | undefined
  let isMore = false
  while (!stream.writableEnded && !stream.destroyed && performance.now() < until) {
    if (stream.writableNeedDrain) {
      blockedSince ??= performance.now()
      if (performance.now() - blockedSince > heartbeatMs) {
        stream.destroy()
        return
      }
    } else {
      blockedSince = undefined
      try {
        const { events, cursor, hasMore } = await read(place)
        if (stream.writableEnded || stream.destroyed) return
        for (const event of events) if (isAbout(event, filter)) stream.write(textOf(event))
        isMore = hasMore
        place = events.length > 0 ? { after: cursor } : place
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        // No event has the cursor yet, as after a backup was restored: what comes next would be missed.
        if (error.code === 'VALIDATION_ERROR') place = fromNow()
        // Else the database does not answer: the stream goes on when it does.
        isMore = false
      }
    }
    if (!isMore || stream.writableNeedDrain) await pause(stream, pollMs)
  }
  stream.end()
}

/** Waits, but not for a stream that has ended. */
const pause = (stream: ServerResponse, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stream.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    stream.once('close', done)
  })

/** An event in the format of server-sent events. JSON has no line ends, so its data is one line. */
const textOf = (event: Update): string =>
  `id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** Whether an event is about the wallet and the action that were asked for; the issues of a quote are one action. */
function isAbout({ data = {}, subject }: Update, { wallet, action }: Filter): boolean {
  const isOf = (name: string, wanted: string) => String(data[name] ?? '').toLowerCase() === wanted
  return (
    (wallet === undefined || isOf('originAddress', wallet) || isOf('receiverAddress', wallet)) &&
    (action === undefined ||
      isOf('actionId', action) ||
      isOf('quoteId', action) ||
      subject.slice(subject.indexOf(':') + 1).toLowerCase() === action)
  )
}

/** The filter of a query; VALIDATION_ERROR for anything else in it. */
function filterOf(query: Record<string, unknown>): Filter {
  for (const [path, value] of Object.entries(query)) {
    if (path !== 'wallet' && path !== 'action')
      throw validationError([{ path, message: 'is not a parameter' }])
    if (typeof value !== 'string') throw validationError([{ path, message: 'is given more than once' }])
  }
  const { wallet, action } = query as Record<string, string | undefined>
  if (wallet !== undefined && !/^0x[0-9a-f]{40}$/i.test(wallet))
    throw validationError([{ path: 'wallet', message: 'must be an EVM address' }])
  if (action === '') throw validationError([{ path: 'action', message: 'must not be empty' }])
  return { wallet: wallet?.toLowerCase(), action: action?.toLowerCase() }
}

const fromNow = (): Place => ({ since: new Date().toISOString() })

/** Where a stream begins: after an event, from a time (`@` and epoch ms), or now. */
function placeOf(last: string | string[] | undefined): Place {
  if (last === undefined || last === '') return fromNow()
  if (typeof last === 'string' && /^[0-9]{1,15}$/.test(last)) return { after: last }
  const [, time] = /^@([0-9]{1,14})$/.exec(String(last)) ?? []
  if (time !== undefined) return { since: new Date(Number(time)).toISOString() }
  throw validationError([{ path: 'Last-Event-ID', message: 'is not the id of an event of this stream' }])
}
