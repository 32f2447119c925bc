import type { WebhookDelivery } from '../../api/webhooks.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import { wholeNumber } from '../../cli/options/option-values.ts'
import { utcTime } from '../../cli/terminal/format.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { eventsOf, type WebhooksAt } from './event-service-of-profile.ts'

type List = OptionsOf<'webhooks deliveries'>

/** `webhooks deliveries` */
export async function deliveries(cli: Cli, id: string, options: List): Promise<void> {
  const asked = {
    id,
    page: wholeNumber(options.page, '--page'),
    limit: wholeNumber(options.limit, '--limit', 100),
    ...(options.state && { state: options.state }),
  }
  await cli.list(await (await eventsOf(cli, options)).webhookDeliveries(asked), {
    empty: 'No deliveries.',
    columns: [
      {
        field: 'id',
        title: 'DELIVERY',
        csv: { id: ({ id }) => id },
        text: ({ id }: WebhookDelivery) => sanitizeText(id),
      },
      {
        field: 'type',
        title: 'EVENT',
        csv: { type: ({ type }) => type, eventId: ({ eventId }) => eventId },
        text: ({ type }) => sanitizeText(type ?? ''),
      },
      {
        field: 'subject',
        title: 'SUBJECT',
        csv: { subject: ({ subject }) => subject, seq: ({ seq }) => seq },
        text: ({ subject, seq }) => `${sanitizeText(subject)} #${seq}`,
        drop: 3,
      },
      {
        field: 'state',
        title: 'STATE',
        csv: { state: ({ state }) => state, attempts: ({ attempts }) => attempts },
        text: ({ state, attempts }) => `${sanitizeText(state)} (${attempts})`,
      },
      {
        field: 'error',
        title: 'ERROR',
        csv: { error: ({ error }) => error, response: ({ response }) => response },
        text: ({ error }) => sanitizeText(error ?? ''),
        drop: 1,
      },
      {
        field: 'nextAttemptAt',
        title: 'NEXT ATTEMPT',
        csv: { nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt },
        text: ({ state, nextAttemptAt }) =>
          nextAttemptAt !== null ? utcTime(nextAttemptAt) : state === 'pending' ? 'after the one before' : '',
        drop: 2,
      },
    ],
  })
}

/** `webhooks resend` */
export async function resend(cli: Cli, id: string, delivery: string, options: WebhooksAt): Promise<void> {
  cli.emit(
    await (await eventsOf(cli, options)).resendDelivery({ id, deliveryId: delivery }),
    ({ type, eventId }) => `The event ${sanitizeText(eventId)} (${sanitizeText(type ?? '')}) is sent again.`,
  )
}

/** `webhooks replay` */
export async function replay(cli: Cli, id: string, options: OptionsOf<'webhooks replay'>): Promise<void> {
  const since = parseSince(options.since, cli.program.now())
  cli.emit(
    { id, since, ...(await (await eventsOf(cli, options)).replayWebhook({ id, since })) },
    ({ count }) =>
      `${count} ${count === 1 ? 'event is' : 'events are'} sent again, from ${utcTime(since)} on.`,
  )
}

/** Parses a time: ISO 8601, or a duration before `now`. Returns ISO 8601 in UTC. */
export function parseSince(text: string, now: number): string {
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : now - duration(text)
  if (Number.isFinite(at) && at >= 0) return new Date(at).toISOString()
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not a time`, {
    next: advice`${sameWith({ '--since': '2h' })} From a time on: ${sameWith({ '--since': '2026-11-29T12:00:00Z' })}`,
  })
}
