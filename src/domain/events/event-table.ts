import { z } from 'zod'
import { actionStatuses } from '../swap-outcome.ts'

const Time = z.string().describe('ISO 8601, UTC')
const Share = z.number().describe('a fraction: 0.03 is 3 %')

const ActionChange = z.object({
  actionId: z.string(),
  type: z.string(),
  status: z.enum(actionStatuses),
  state: z.string(),
  strategyId: z.string().nullable(),
  strategySlug: z.string().nullable(),
  quoteId: z.string().nullable(),
  originAddress: z.string(),
  receiverAddress: z.string(),
  createdAt: Time,
  updatedAt: Time,
  finishedAt: Time.nullable(),
})

const QuoteData = z.object({
  quoteId: z.string(),
  provider: z.string(),
  originChain: z.string(),
  destinationChain: z.string(),
  expiresAt: Time,
})

const Strategy = z.object({ slug: z.string(), network: z.string() })

/** What a line of an endpoint is, and on which side of it a strategy is now. `line` and `value` have the unit of their kind. */
const crossing = <value extends z.ZodType>(value: value) =>
  Strategy.extend({ line: value, value, side: z.enum(['below', 'above']) })

/** What an event is about: its kind, which is the first part of its subject, its data, and its text in the documentation. */
type EventKind = { subject: 'action' | 'quote' | 'strategy' | 'endpoint'; text: string; data: z.ZodType }

const time = '2026-01-02T03:04:05.000Z'
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const actionSample = (status: z.output<typeof ActionChange>['status'], state: string) => ({
  actionId: 'test',
  type: 'STRATEGY_DEPOSIT',
  status,
  state,
  strategyId: 'aave-v3-usdc-base',
  strategySlug: 'aave-v3-usdc-base',
  quoteId: null,
  originAddress: wallet,
  receiverAddress: wallet,
  createdAt: time,
  updatedAt: time,
  finishedAt: state === 'pending' || state === 'confirmed' ? null : time,
})
const quoteSample = {
  quoteId: 'test',
  provider: 'cctp',
  originChain: 'base',
  destinationChain: 'arbitrum',
  expiresAt: time,
}
const strategySample = { slug: 'test', network: 'base' }

/** All events. The types, the HTTP schema and the documentation are made from this table. */
export const eventTable = {
  'action.created': {
    subject: 'action',
    text: 'An action was issued. The transactions of a dry run are none until one of them is sent.',
    data: ActionChange,
  },
  'action.updated': {
    subject: 'action',
    text: 'An action changed its state, and has not ended.',
    data: ActionChange,
  },
  'action.succeeded': {
    subject: 'action',
    text: 'An action succeeded, at the finality of its network.',
    data: ActionChange,
  },
  'action.failed': {
    subject: 'action',
    text: 'An action failed. A transaction that is sent again can still make it succeed.',
    data: ActionChange,
  },
  'action.refunded': {
    subject: 'action',
    text: 'The provider of a swap paid its input back.',
    data: ActionChange,
  },
  'swap.status_changed': {
    subject: 'quote',
    text: 'The status of the swap of a quote changed, as in GET /v2/swap/status/{id}.',
    data: QuoteData.extend({ status: z.string(), previousStatus: z.string() }),
  },
  'quote.expired': {
    subject: 'quote',
    text: 'A quote expired before its transactions were issued.',
    data: QuoteData,
  },
  'strategy.paused': { subject: 'strategy', text: 'A strategy takes no more deposits.', data: Strategy },
  'strategy.resumed': { subject: 'strategy', text: 'A strategy takes deposits again.', data: Strategy },
  'strategy.apy_changed': {
    subject: 'strategy',
    text: 'The APY of a strategy crossed the line of an endpoint; once for each crossing.',
    data: crossing(Share),
  },
  'strategy.liquidity_changed': {
    subject: 'strategy',
    text: 'The liquidity of a strategy (what can be withdrawn now, in USD) crossed the line of an endpoint; once for each crossing.',
    data: crossing(z.number()),
  },
  'endpoint.disabled': {
    subject: 'endpoint',
    text: 'An endpoint answered 410 and gets no more events.',
    data: z.object({ endpointId: z.string(), url: z.string(), reason: z.string() }),
  },
} as const satisfies Record<string, EventKind>

export type EventType = keyof typeof eventTable

export const eventTypes = Object.keys(eventTable) as [EventType, ...EventType[]]

export type EventData<type extends EventType> = z.output<(typeof eventTable)[type]['data']>

/** The subject of an event: its kind and id. Events of one subject have an order. */
export const subjectOf = (type: EventType, id: string): string => `${eventTable[type].subject}:${id}`

/** The data of a test event of each type. */
export const eventSamples: { readonly [type in EventType]: EventData<type> } = {
  'action.created': actionSample('INITIAL', 'pending'),
  'action.updated': actionSample('PENDING', 'confirmed'),
  'action.succeeded': actionSample('SUCCESS', 'fulfilled'),
  'action.failed': actionSample('FAILED', 'failed'),
  'action.refunded': actionSample('REFUNDED', 'refunded'),
  'swap.status_changed': { ...quoteSample, status: 'fulfilled', previousStatus: 'processing' },
  'quote.expired': quoteSample,
  'strategy.paused': strategySample,
  'strategy.resumed': strategySample,
  'strategy.apy_changed': { ...strategySample, line: 0.03, value: 0.029, side: 'below' },
  'strategy.liquidity_changed': { ...strategySample, line: 100_000, value: 99_000, side: 'below' },
  'endpoint.disabled': { endpointId: 'test', url: 'https://example.com/hook', reason: 'a test' },
}
