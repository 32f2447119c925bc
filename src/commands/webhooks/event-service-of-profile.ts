import type { Service } from '../../api/service-type.ts'
import type { eventRoutes } from '../../api/webhooks.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { onThisMachine } from '../../cli/server-administration.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'

/** Where the webhooks of a command are: in the database of a server on this machine, or at a remote service. */
export type WebhooksAt = Pick<OptionsOf<'webhooks add'>, 'database' | 'customer' | 'allowHttp'>

type Events = Pick<Service, keyof typeof eventRoutes>

/**
 * The events and webhooks of the customer: of the remote service, or in the database of `sluice serve` on this machine. A deployment without them is
 * NOT_FOUND in words.
 */
export async function eventsOf(
  cli: Cli,
  { database, customer, allowHttp = false }: WebhooksAt,
): Promise<Events> {
  const { serving, profile } = cli.backend
  if (serving) return serving.events({ database, customer, allowHttp })
  const given = database !== undefined ? '--database' : customer !== undefined ? '--customer' : undefined
  if (given !== undefined)
    throw new AppError(
      'USAGE',
      `${given} is for a server on this machine, and the profile ${profile} is a remote service`,
      {
        next: onThisMachine,
      },
    )
  const service = await cli.service()
  const said =
    <input, output>(call: (input: input) => Promise<output>) =>
    (input: input) =>
      call(input).catch((error: unknown) => {
        throw isWithoutWebhooks(error) ? withoutWebhooks(error) : error
      })
  return {
    listWebhooks: said(service.listWebhooks),
    addWebhook: said(service.addWebhook),
    removeWebhook: said(service.removeWebhook),
    rotateWebhook: said(service.rotateWebhook),
    enableWebhook: said(service.enableWebhook),
    webhookDeliveries: said(service.webhookDeliveries),
    resendDelivery: said(service.resendDelivery),
    replayWebhook: said(service.replayWebhook),
    listEvents: said(service.listEvents),
    commitEvents: said(service.commitEvents),
    triggerEvent: said(service.triggerEvent),
  }
}

/** Whether a deployment has no such endpoint: it answers 404, 405 or 501 without the id of a webhook or delivery that is not there. */
const isWithoutWebhooks = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (error.code === 'METHOD_NOT_ALLOWED' ||
    (error.code === 'NOT_FOUND' && !error.details?.webhook && !error.details?.delivery))

const withoutWebhooks = (cause: AppError): AppError =>
  new AppError('NOT_FOUND', 'This deployment of the service has no webhooks', {
    cause,
    next: advice`To follow one action: ${sluice('action watch', { '--help': true })}`,
  })
