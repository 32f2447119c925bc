import { z } from 'zod'
import { eventTypes } from '../domain/events/event-table.ts'
import { PageOf } from './page.ts'
import { Flag, Name, nullish, orNull, pagingFields, wholeNumberField } from './wire-fields.ts'

const EventName = z.enum(eventTypes)
const Time = z.iso.datetime({ offset: true, message: 'expected a time in ISO 8601: 2026-11-29T12:00:00Z' })
const Cursor = z.string().regex(/^\d{1,15}$/, 'expected a cursor of an answer')
const Consumer = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected at most 64 letters, digits, dots, dashes and underscores',
  )

/** A list of event types in a query, separated by commas. */
const EventNames = z.codec(
  z
    .string()
    .refine(
      (text) => text.split(',').every((name) => EventName.safeParse(name.trim()).success),
      'expected names of events, separated by commas: action.succeeded,action.failed',
    ),
  z.array(EventName),
  {
    decode: (text) => text.split(',').map((name) => name.trim()) as z.output<typeof EventName>[],
    encode: (names) => names.join(','),
  },
)

/** The input of `POST /webhooks`. Without `types`, all events. Lines belong to the events about crossings. */
export const WebhookInput = z.object({
  url: z.string().max(2_000, 'must not be longer than 2,000 characters'),
  types: z.array(EventName).min(1, 'must name an event').optional(),
  payload: z.enum(['thin', 'full']).optional(),
  apyLine: z.number().min(0).max(100).optional().describe('a fraction: 0.03 is 3 %'),
  liquidityLine: z.number().min(0).optional().describe('USD'),
})

/** An endpoint of webhooks. `types` is `null` for all events; `disabledReason` says why it gets no more. */
export type Webhook = {
  id: string
  url: string
  types: string[] | null
  payload: string
  apyLine: number | null
  liquidityLine: number | null
  createdAt: string
  disabledAt: string | null
  disabledReason: string | null
}

const webhookFields = {
  id: z.string(),
  url: z.string(),
  types: nullish(z.array(z.string())),
  payload: z.string(),
  apyLine: nullish(z.number()),
  liquidityLine: nullish(z.number()),
  createdAt: z.string(),
  disabledAt: nullish(z.string()),
  disabledReason: nullish(z.string()),
}

const webhookOf = (wire: z.output<typeof WireWebhook>): Webhook => ({
  id: wire.id,
  url: wire.url,
  types: orNull(wire.types),
  payload: wire.payload,
  apyLine: orNull(wire.apyLine),
  liquidityLine: orNull(wire.liquidityLine),
  createdAt: wire.createdAt,
  disabledAt: orNull(wire.disabledAt),
  disabledReason: orNull(wire.disabledReason),
})
const WireWebhook = z.object(webhookFields)

/** An endpoint on the wire. */
export const Webhook = z.codec(WireWebhook, z.custom<Webhook>(), {
  decode: webhookOf,
  encode: (webhook) => webhook,
})

/** An endpoint with its signing secret, which no other answer has. */
export const WebhookWithSecret = z.codec(
  z.object({ ...webhookFields, secret: z.string() }),
  z.custom<Webhook & { secret: string }>(),
  { decode: ({ secret, ...wire }) => ({ ...webhookOf(wire), secret }), encode: (webhook) => webhook },
)

const deliveryStates = ['pending', 'delivered', 'dead'] as const

/**
 * A delivery of an event to an endpoint. `attempts` counts all attempts; `response` is the HTTP status of the last one, `error` why it failed. `nextAttemptAt` is
 * `null` unless it is `pending`, and while it waits behind another one of its subject.
 */
const WebhookDelivery = z.object({
  id: z.string(),
  eventId: z.string(),
  type: z.string().nullable(),
  subject: z.string(),
  seq: z.int(),
  state: z.string(),
  attempts: z.int(),
  response: z.int().nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  nextAttemptAt: z.string().nullable(),
})

/** A delivery of an event to an endpoint. */
export type WebhookDelivery = z.output<typeof WebhookDelivery>

/** An event as it is polled, with its place among all events of the customer. */
export const PolledEvent = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  subject: z.string(),
  seq: z.int(),
  test: z.boolean(),
  data: z.record(z.string(), z.unknown()).optional(),
  cursor: z.string(),
})

export type PolledEvent = z.output<typeof PolledEvent>

const Since = z.object({ id: Name, since: Time })

/** The routes of events and webhooks. All are extensions. */
export const eventRoutes = {
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    input: z.object(pagingFields),
    output: PageOf(Webhook),
    doc: 'Extension: the endpoints of this customer that get events, newest first, without their secrets.',
  },
  addWebhook: {
    method: 'POST',
    path: '/webhooks',
    input: WebhookInput,
    output: WebhookWithSecret,
    doc: 'Extension: adds an endpoint for events, signed by the Standard Webhooks specification. The secret is in this answer only. `types` are all, if it is left out. A `thin` payload (default: `full`) has no `data`. `apyLine` and `liquidityLine` are the lines whose crossing `strategy.apy_changed` and `strategy.liquidity_changed` tell, once for each crossing; without one this endpoint gets no such events.',
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/webhooks/{id}',
    input: z.object({ id: Name }),
    output: Webhook,
    doc: 'Extension: removes an endpoint with its deliveries.',
  },
  rotateWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    input: z.object({ id: Name }),
    output: WebhookWithSecret,
    doc: 'Extension: gives an endpoint a new secret. Both sign for 24 hours, then only the new one.',
  },
  enableWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/enable',
    input: z.object({ id: Name }),
    output: Webhook,
    doc: 'Extension: lets an endpoint that was disabled get events again, those from now on (`disabledAt` is then `null`). What it missed and its dead letters stay until a replay or a resend.',
  },
  webhookDeliveries: {
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    input: z.object({ id: Name, state: z.enum(deliveryStates).optional(), ...pagingFields }),
    output: PageOf(WebhookDelivery),
    doc: 'Extension: the deliveries of an endpoint, newest first. `dead` ones were given up and can be sent again.',
  },
  resendDelivery: {
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/resend',
    input: z.object({ id: Name, deliveryId: Name }),
    output: WebhookDelivery,
    doc: 'Extension: sends an event to an endpoint again, with the same `webhook-id`.',
  },
  replayWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    input: Since,
    output: z.object({ count: z.int() }),
    doc: 'Extension: sends all events since a time to an endpoint again, those of its types, in their order, also those that wait for their next attempt. Events are kept for 30 days.',
  },
  listEvents: {
    method: 'GET',
    path: '/events',
    input: z.object({
      after: Cursor.optional(),
      consumer: Consumer.optional(),
      types: EventNames.optional(),
      since: Time.optional(),
      limit: wholeNumberField(1, 100).optional(),
    }),
    output: z.object({ events: z.array(PolledEvent), cursor: z.string(), hasMore: z.boolean() }),
    doc: 'Extension: the events of this customer in their order, after a cursor, or after the one that the `consumer` has committed, or from the first one kept. An `after` that no event has reached is refused (422). `cursor` is the place after the last of them: process them, then commit it. An event never appears before a cursor that was given out.',
  },
  commitEvents: {
    method: 'POST',
    path: '/events/commit',
    input: z.object({ consumer: Consumer, cursor: Cursor, seek: Flag.optional() }),
    output: z.object({ consumer: z.string(), cursor: z.string() }),
    doc: 'Extension: commits the cursor of a consumer. It only moves forward, unless `seek` is `true`.',
  },
  triggerEvent: {
    method: 'POST',
    path: '/events/trigger',
    input: z.object({ type: EventName }),
    output: z.object({ eventId: z.string() }),
    doc: 'Extension: makes a test event with sample data (`test` is `true`). All endpoints of this customer and its polls get it.',
  },
} as const
