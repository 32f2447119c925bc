import { randomUUID } from 'node:crypto'
import type { Page } from '../api/page.ts'
import type { KeepAnswer, Service } from '../api/service-type.ts'
import type { eventRoutes, Webhook, WebhookDelivery } from '../api/webhooks.ts'
import { AppError } from '../domain/errors.ts'
import { eventSamples } from '../domain/events/event-table.ts'
import { sluice } from '../domain/text/next-step.ts'
import { urlFlaw } from '../http/guarded-post.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { ListedDelivery } from '../store/events/delivery-queries.ts'
import type { EndpointRow, Secret } from '../store/events/endpoint-queries.ts'
import type { Alongside } from '../store/events/write-event.ts'
import { eventDocument } from './event-document.ts'
import { newSecret } from './signature.ts'

/** The part of the service about events. */
export type EventService = Pick<Service, keyof typeof eventRoutes>

/** What the part of the service about events needs. `allowLoopback`: whether an endpoint may be on this machine, also over HTTP. */
export type EventServiceNeeds = {
  store: EngineStore
  customer: string
  now: () => number
  allowLoopback?: boolean
}

/** How many endpoints a customer may have. */
const mostEndpoints = 50

/** How long a replaced secret signs beside the new one, in ms. */
const rotationMs = 24 * 3_600_000

/** How many events one poll returns unless it asks for another number. */
const polledAtOnce = 50

const iso = (time: number): string => new Date(Number(time)).toISOString()

/** The events and webhooks of one customer. */
export function eventService({
  store,
  customer,
  now,
  allowLoopback = false,
}: EventServiceNeeds): EventService {
  const endpointNamed = async (id: string): Promise<EndpointRow> => {
    const row = await store.endpoint(customer, id)
    if (row) return row
    throw new AppError('NOT_FOUND', `There is no webhook "${id}"`, {
      details: { webhook: id },
      next: sluice('webhooks list'),
    })
  }
  const refuseLaterThanLast = async (field: string, cursor: string) => {
    if (Number(cursor) > (await store.lastCursor(customer)))
      throw fieldError(field, 'is after the last event')
  }
  return {
    listWebhooks: async (asked) => pageOf((await store.endpoints(customer)).map(shown), asked),

    addWebhook: async ({ url, types, payload = 'full', apyLine, liquidityLine }, { keepAnswer } = {}) => {
      const flaw = urlFlaw(url, { allowLoopback })
      if (flaw !== undefined) throw fieldError('url', flaw)
      const secret = newSecret()
      const secrets: Secret[] = [{ secret, until: null }]
      const row: EndpointRow = {
        id: `we_${randomUUID()}`,
        customer,
        url: new URL(url).href,
        types: types === undefined ? null : JSON.stringify([...new Set(types)]),
        payload,
        apyLine: apyLine === undefined ? null : String(apyLine),
        liquidityLine: liquidityLine === undefined ? null : String(liquidityLine),
        secrets: JSON.stringify(secrets),
        createdAt: now(),
        disabledAt: null,
        reason: null,
        failures: 0,
        restsUntil: 0,
      }
      const answer = { ...shown(row), secret }
      if (
        await store.addEndpoint(
          row,
          mostEndpoints,
          keeping(keepAnswer, () => answer),
        )
      )
        return answer
      throw fieldError(
        'url',
        `is the endpoint number ${mostEndpoints + 1}, and ${mostEndpoints} are the most`,
      )
    },

    removeWebhook: async ({ id }) => {
      const row = await endpointNamed(id)
      await store.removeEndpoint(customer, id)
      return shown(row)
    },

    rotateWebhook: async ({ id }, { keepAnswer } = {}) => {
      const row = await endpointNamed(id)
      const secret = newSecret()
      const before = (JSON.parse(row.secrets) as Secret[]).filter(
        ({ until }) => until === null || until > now(),
      )
      // The newest one before stays for a while; older ones end now, so that signatures stay few.
      const kept = before
        .filter(({ until }) => until === null)
        .map((one) => ({ ...one, until: now() + rotationMs }))
      const secrets: Secret[] = [{ secret, until: null }, ...kept]
      const answer = { ...shown(row), secret }
      const change = { secrets: JSON.stringify(secrets), was: row.secrets }
      if (
        await store.replaceSecrets(
          customer,
          id,
          change,
          keeping(keepAnswer, () => answer),
        )
      )
        return answer
      throw new AppError('BAD_REQUEST', 'The secret of this webhook was just rotated by another request')
    },

    enableWebhook: async ({ id }, { keepAnswer } = {}) => {
      await endpointNamed(id)
      const row = await store.enableEndpoint(customer, id, keeping(keepAnswer, shown))
      return shown(row ?? (await endpointNamed(id)))
    },

    webhookDeliveries: async ({ id, state, page = 1, limit = 10 }) => {
      await endpointNamed(id)
      const asked = { state: state ?? null, limit, offset: (page - 1) * limit }
      const { rows, total } = await store.deliveries(customer, id, asked)
      return { items: rows.map(shownDelivery), page, limit, total, hasMore: page * limit < total }
    },

    resendDelivery: async ({ id, deliveryId }, { keepAnswer } = {}) => {
      refuseDisabled(await endpointNamed(id))
      const wanted = { customer, endpointId: id, id: deliveryId }
      const sent = await store.resend(wanted, keeping(keepAnswer, shownDelivery))
      if (sent) return shownDelivery(sent)
      throw new AppError('NOT_FOUND', `There is no delivery "${deliveryId}" of this webhook`, {
        details: { delivery: deliveryId },
        next: sluice('webhooks deliveries', id),
      })
    },

    replayWebhook: async ({ id, since }, { keepAnswer } = {}) => {
      refuseDisabled(await endpointNamed(id))
      const asked = { customer, endpointId: id, since: Date.parse(since) }
      return {
        count: await store.replay(
          asked,
          keeping(keepAnswer, (count) => ({ count })),
        ),
      }
    },

    listEvents: async ({ after, consumer, types, since, limit = polledAtOnce }) => {
      const from =
        after !== undefined
          ? Number(after)
          : consumer !== undefined && since === undefined
            ? await store.consumerCursor(customer, consumer)
            : 0
      const asked = {
        after: from,
        types: types ?? null,
        since: since === undefined ? null : Date.parse(since),
      }
      const rows = await store.events(customer, { ...asked, limit: limit + 1 })
      // A cursor of a database that was replaced by its backup: the events that come next would be skipped.
      if (rows.length === 0 && after !== undefined) await refuseLaterThanLast('after', after)
      const events = rows
        .slice(0, limit)
        .map((row) => ({ ...eventDocument(row, 'full'), cursor: String(row.cursor) }))
      return { events, cursor: events.at(-1)?.cursor ?? String(from), hasMore: rows.length > limit }
    },

    commitEvents: async ({ consumer, cursor, seek = false }) => {
      await refuseLaterThanLast('cursor', cursor)
      const wanted = { name: consumer, cursor: Number(cursor), isSeek: seek }
      return { consumer, cursor: String(await store.commitConsumer(customer, wanted)) }
    },

    triggerEvent: async ({ type }, { keepAnswer } = {}) => ({
      eventId: await store.tell(
        // A subject of its own, so that a test event does not wait behind one that was not received.
        { customer, type, id: `test-${randomUUID().slice(0, 8)}`, data: eventSamples[type], isTest: true },
        keeping(keepAnswer, (eventId) => ({ eventId })),
      ),
    }),
  }
}

/** Keeps the answer to a request with an idempotency key in the transaction of its change, which it is made of. */
const keeping = <result>(
  keepAnswer: KeepAnswer | undefined,
  answerOf: (result: result) => object,
): Alongside<result> | undefined => keepAnswer && ((tx, result) => keepAnswer(tx, answerOf(result)))

function refuseDisabled({ id, reason, disabledAt }: EndpointRow): void {
  if (disabledAt === null) return
  throw new AppError('BAD_REQUEST', `The webhook ${id} is disabled: ${reason ?? 'it was disabled'}`, {
    next: sluice('webhooks enable', id),
  })
}

const fieldError = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', `${path} ${message}`, { details: { errors: [{ path, message }] } })

function pageOf<item>(
  all: readonly item[],
  { page = 1, limit = 10 }: { page?: number | undefined; limit?: number | undefined },
): Page<item> {
  const items = all.slice((page - 1) * limit, page * limit)
  return { items, page, limit, total: all.length, hasMore: page * limit < all.length }
}

const shown = (row: EndpointRow): Webhook => ({
  id: row.id,
  url: row.url,
  types: row.types === null ? null : (JSON.parse(row.types) as string[]),
  payload: row.payload,
  apyLine: row.apyLine === null ? null : Number(row.apyLine),
  liquidityLine: row.liquidityLine === null ? null : Number(row.liquidityLine),
  createdAt: iso(row.createdAt),
  disabledAt: row.disabledAt === null ? null : iso(row.disabledAt),
  disabledReason: row.reason,
})

const shownDelivery = (row: ListedDelivery): WebhookDelivery => ({
  id: row.id,
  eventId: row.eventId,
  type: row.type,
  subject: row.subject,
  seq: Number(row.seq),
  state: row.state,
  attempts: Number(row.attempt),
  response: row.response,
  error: row.error,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
  nextAttemptAt:
    row.state === 'pending' && Number(row.isNext) === 1
      ? iso(Math.max(Number(row.dueAt), Number(row.createdAt)))
      : null,
})
