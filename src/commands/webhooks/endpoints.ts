import type { Webhook } from '../../api/webhooks.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { wholeNumber } from '../../cli/options/option-values.ts'
import type { View } from '../../cli/output/view-types.ts'
import { confirm } from '../../cli/prompts.ts'
import { allPages } from '../../cli/read-all-pages.ts'
import { utcTime } from '../../cli/terminal/format.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { type EventType, eventTypes } from '../../domain/events/event-table.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { eventsOf, type WebhooksAt } from './event-service-of-profile.ts'

/** `webhooks add` */
export async function add(cli: Cli, url: string, options: OptionsOf<'webhooks add'>): Promise<void> {
  const { types, thin, apyLine, liquidityLine } = options
  const wanted = {
    url,
    ...(types !== undefined && { types: eventTypesOf(types) }),
    ...(thin && { payload: 'thin' as const }),
    ...(apyLine !== undefined && { apyLine: rateOf(apyLine) }),
    ...(liquidityLine !== undefined && { liquidityLine: usdOf(liquidityLine) }),
  }
  cli.emit(await (await eventsOf(cli, options)).addWebhook(wanted), secretView)
}

/** `webhooks list` */
export async function list(cli: Cli, options: OptionsOf<'webhooks list'>): Promise<void> {
  const asked = {
    page: wholeNumber(options.page, '--page'),
    limit: wholeNumber(options.limit, '--limit', 100),
  }
  await cli.list(await (await eventsOf(cli, options)).listWebhooks(asked), {
    empty: advice`No webhooks. Add one: ${sluice('webhooks add', 'URL')}`,
    columns: [
      { field: 'id', title: 'ID', csv: { id: ({ id }) => id }, text: ({ id }: Webhook) => sanitizeText(id) },
      { field: 'url', title: 'URL', csv: { url: ({ url }) => url }, text: ({ url }) => sanitizeText(url) },
      {
        field: 'types',
        title: 'EVENTS',
        csv: { types: ({ types }) => types?.join(' ') ?? 'all' },
        text: ({ types }) => sanitizeText(types?.join(' ') ?? 'all'),
        drop: 2,
      },
      {
        field: 'disabledAt',
        title: 'STATE',
        csv: { disabledAt: ({ disabledAt }) => disabledAt },
        text: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled'),
      },
      {
        field: 'createdAt',
        title: 'CREATED',
        csv: { createdAt: ({ createdAt }) => createdAt },
        text: ({ createdAt }) => utcTime(createdAt),
        drop: 1,
      },
    ],
  })
}

/** `webhooks show` */
export async function show(cli: Cli, id: string, options: WebhooksAt): Promise<void> {
  const events = await eventsOf(cli, options)
  const all = await allPages((page, limit) => events.listWebhooks({ page, limit }))
  const found = all.find((one) => one.id === id)
  if (!found)
    throw new AppError('NOT_FOUND', `There is no webhook "${sanitizeText(id)}"`, {
      next: sluice('webhooks list'),
    })
  cli.emit(found, webhookView)
}

/** `webhooks remove` */
export async function remove(cli: Cli, id: string, options: WebhooksAt): Promise<void> {
  const events = await eventsOf(cli, options)
  await confirm(cli.io, cli.globals, `Remove the webhook ${sanitizeText(id)} with its deliveries?`)
  cli.emit(
    await events.removeWebhook({ id }),
    ({ url }) => `The webhook ${sanitizeText(id)} to ${sanitizeText(url)} is removed.`,
  )
}

/** `webhooks rotate` */
export async function rotate(cli: Cli, id: string, options: WebhooksAt): Promise<void> {
  const events = await eventsOf(cli, options)
  await confirm(
    cli.io,
    cli.globals,
    `Give the webhook ${sanitizeText(id)} a new secret? The old one ends in 24 hours.`,
  )
  cli.emit(await events.rotateWebhook({ id }), secretView)
}

/** `webhooks enable` */
export async function enable(cli: Cli, id: string, options: WebhooksAt): Promise<void> {
  const events = await eventsOf(cli, options)
  cli.emit(await events.enableWebhook({ id }), (webhook, to, line) =>
    [
      webhookView(webhook, to, line),
      to.paint.dim(
        line(
          advice`It gets events from now on. What it missed: ${sluice('webhooks replay', id, { '--since': '2h' })}`,
        ),
      ),
    ].join('\n'),
  )
}

/** `webhooks trigger` */
export async function trigger(cli: Cli, type: EventType, options: WebhooksAt): Promise<void> {
  cli.emit(
    { type, ...(await (await eventsOf(cli, options)).triggerEvent({ type })) },
    ({ eventId }) => `The test event ${sanitizeText(eventId)} (${type}) is queued.`,
  )
}

/** Parses a list of event types; USAGE names an unknown one. */
export function eventTypesOf(text: string): EventType[] {
  return text.split(',').map((part) => {
    const known = eventTypes.find((one) => one === part.trim())
    if (known) return known
    throw new AppError('USAGE', `Unknown event "${sanitizeText(part.trim())}"`, {
      next: `Events: ${eventTypes.join(', ')}`,
    })
  })
}

/** Parses a percentage as a fraction. */
function rateOf(text: string): number {
  const [, percent] = /^([0-9]{1,5}(?:\.[0-9]{1,12})?)%$/.exec(text.trim()) ?? []
  if (percent !== undefined) return Number((Number(percent) / 100).toPrecision(15))
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not a rate with its unit`, {
    next: sameWith({ '--apy-line': '3%' }),
  })
}

function usdOf(text: string): number {
  if (/^[0-9]{1,15}(\.[0-9]+)?$/.test(text.trim())) return Number(text)
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not an amount in USD`, {
    next: sameWith({ '--liquidity-line': '100000' }),
  })
}

const rowsOf = (webhook: Webhook): [string, string][] => [
  ['id', sanitizeText(webhook.id)],
  ['url', sanitizeText(webhook.url)],
  ['events', sanitizeText(webhook.types?.join(', ') ?? 'all')],
  ['payload', sanitizeText(webhook.payload)],
  ...(webhook.apyLine === null
    ? []
    : [['APY line', `${Number((webhook.apyLine * 100).toPrecision(12))} %`] as [string, string]]),
  ...(webhook.liquidityLine === null
    ? []
    : [['liquidity line', `${webhook.liquidityLine} USD`] as [string, string]]),
  ['created', utcTime(webhook.createdAt)],
  ...(webhook.disabledAt === null
    ? []
    : [
        ['disabled', `${utcTime(webhook.disabledAt)}: ${sanitizeText(webhook.disabledReason ?? '')}`] as [
          string,
          string,
        ],
      ]),
]

const webhookView: View<Webhook> = (webhook, to) => fieldTable(rowsOf(webhook), to)

const secretView: View<Webhook & { secret: string }> = ({ secret, ...webhook }, to) =>
  [
    fieldTable([['secret', to.paint.bold(sanitizeText(secret))], ...rowsOf(webhook)], to),
    to.paint.dim('The secret is shown only once. Verify each event with it: docs/webhooks.md'),
  ].join('\n')
