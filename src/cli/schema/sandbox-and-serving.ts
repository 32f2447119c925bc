import { z } from 'zod'
import { AddressText, Amount, amountOn, fields, listOf, maybe, Time } from './common.ts'

const Fault = fields({
  kind: z.string(),
  network: maybe(z.string()),
  method: maybe(z.string()),
  times: maybe(z.int()),
  amount: maybe(z.int()),
  at: maybe(z.string()),
  reason: maybe(z.string()),
  text: z.string(),
})

/** `sandbox fault`: the fault that was set, or the list of those that are. */
export const FaultDocument = z.union([Fault, listOf(Fault)])

/** `sandbox up`, `down`, `status`, `reset` and `warp` */
export const SandboxDocument = fields({
  running: z.boolean(),
  pid: maybe(z.int()),
  chains: z.array(
    fields({ network: z.string(), chainId: z.int(), rpcUrl: z.string(), blockNumber: z.int() }),
  ),
  accounts: z.array(fields({ address: AddressText, default: z.boolean() })),
  tokens: z.array(
    fields({ network: z.string(), symbol: z.string(), address: AddressText, decimals: z.int() }),
  ),
  faults: z.array(Fault).optional(),
  aheadMs: z.int().optional().describe('how far the fault stale-quote sets the clock of the service ahead'),
  outdated: z.literal(true).optional(),
})

/** `sandbox fund` */
export const FundDocument = fields({
  to: AddressText,
  grants: z.array(amountOn({ network: z.string(), address: AddressText })),
})

/** `demo` */
export const DemoDocument = fields({
  ok: z.literal(true),
  seconds: z.number(),
  steps: z.array(
    fields({
      title: z.string(),
      command: z.string(),
      exit: z.int(),
      result: z.unknown(),
      verified: z.array(z.string()),
    }),
  ),
  balances: z.array(fields({ network: z.string(), before: Amount, change: Amount, after: Amount })),
})

const Networks = z.array(fields({ network: z.string(), chainId: z.int(), blockNumber: z.int() }))

/** `serve`: its address; with `--check`, the results of the checks. */
export const ServeDocument = z.union([
  fields({
    url: z.string(),
    profile: z.string(),
    database: z.string(),
    pid: z.int(),
    page: fields({ customer: z.string(), file: z.string() })
      .optional()
      .describe('with --open: a file that opens the page of a customer without a key'),
  }),
  fields({ database: z.string(), keys: z.int(), strategies: z.int(), networks: Networks }),
])

const webhook = {
  id: z.string(),
  url: z.string(),
  types: maybe(z.array(z.string())).describe('null: all events'),
  payload: z.string(),
  apyLine: maybe(z.number()).describe('a fraction: 0.03 is 3 %'),
  liquidityLine: maybe(z.number()).describe('USD'),
  createdAt: Time,
  disabledAt: maybe(Time),
  disabledReason: maybe(z.string()),
}

/** An endpoint of webhooks. */
export const WebhookDocument = fields(webhook)

/** `webhooks add` and `webhooks rotate` */
export const NewWebhookDocument = fields({ ...webhook, secret: z.string() })

/** A delivery of an event. */
export const WebhookDeliveryDocument = fields({
  id: z.string(),
  eventId: z.string(),
  type: maybe(z.string()),
  subject: z.string(),
  seq: z.int(),
  state: z.string(),
  attempts: z.int(),
  response: maybe(z.int()),
  error: maybe(z.string()),
  createdAt: Time,
  updatedAt: Time,
  nextAttemptAt: maybe(Time),
})

/** `webhooks replay` */
export const ReplayDocument = fields({ id: z.string(), since: Time, count: z.int() })

/** `webhooks trigger` */
export const TriggerDocument = fields({ type: z.string(), eventId: z.string() })

const Forwarded = z.union([
  fields({ status: z.int(), retryAfterMs: maybe(z.int()) }),
  fields({ error: z.string() }),
])

/** `webhooks listen`: first where events go, then each event. */
export const ListenDocument = z.union([
  fields({ consumer: z.string(), forwardTo: maybe(z.string()), secret: maybe(z.string()) }),
  fields({
    id: z.string(),
    type: z.string(),
    timestamp: Time,
    subject: z.string(),
    seq: z.int(),
    test: z.boolean(),
    data: z.record(z.string(), z.unknown()).optional(),
    cursor: z.string(),
    forwarded: maybe(Forwarded),
  }),
])
