import { routes } from '../api/routes.ts'
import type { Service } from '../api/service-type.ts'
import { eventRoutes } from '../api/webhooks.ts'
import { AppError } from '../domain/errors.ts'
import { advice, type Next, sluice } from '../domain/text/next-step.ts'

/** A route that reads, and its input. */
type Read = { [name in keyof Service]: [name, Parameters<Service[name]>[0]] }[keyof Service]

/** The read that returns a write's result, for a response without a body (204). */
const reads: { [name in keyof Service]?: (written: Parameters<Service[name]>[0]) => Read } = {
  setFees: () => ['getFees', {}],
  ingest: ({ actionId }) => ['getAction', { id: actionId }],
}

/** The read that returns a write's result; `undefined` for a read. */
export const readBackOf = (name: keyof Service, input: unknown): Read | undefined =>
  (reads[name] as ((input: unknown) => Read) | undefined)?.(input)

type Routes = typeof routes

/** The methods that change something at the service. */
export type WriteName = {
  [name in keyof Routes]: Routes[name] extends { method: 'GET' } | { path: `${string}/bytecode` }
    ? never
    : name
}[keyof Routes]

/** The command that shows whether a write was applied. */
const checks: { readonly [name in WriteName]: Next } = {
  setFees: sluice('fees show'),
  ingest: sluice('action list'),
  addWebhook: sluice('webhooks list'),
  removeWebhook: sluice('webhooks list'),
  rotateWebhook: sluice('webhooks list'),
  enableWebhook: sluice('webhooks list'),
  resendDelivery: sluice('webhooks list'),
  replayWebhook: sluice('webhooks list'),
  commitEvents: sluice('webhooks listen', { '--help': true }),
  triggerEvent: sluice('webhooks list'),
}

/** Whether a method changes something at the service. */
export const isWrite = (name: keyof Service): name is WriteName => Object.hasOwn(checks, name)

/**
 * Whether a write may be repeated after a lost answer: it has an idempotency key, and every deployment with these routes obeys it.
 */
export const isRepeatable = (name: keyof Service): boolean =>
  Object.hasOwn(eventRoutes, name) && routes[name].method === 'POST'

/** The error for a write whose result is unknown: it was accepted, or may have been. Repeating it does not help. */
export function unconfirmedWriteError(cause: unknown, name: WriteName): AppError {
  const why = cause instanceof Error ? cause.message : 'nothing'
  const more = { cause, ...(cause instanceof AppError && cause.details && { details: cause.details }) }
  return isUnansweredWrite(cause)
    ? new AppError(
        'WRITE_UNCONFIRMED',
        `The service may have applied the change but did not confirm it: ${why}`,
        {
          ...more,
          next: advice`To check whether it was applied: ${checks[name]}`,
        },
      )
    : new AppError(
        'WRITE_UNCONFIRMED',
        `The service applied the change, but its response is invalid: ${why}`,
        { ...more, next: advice`To see the change: ${checks[name]}` },
      )
}

/** Whether a write may have reached the service although no response arrived. */
export const isUnansweredWrite = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'SERVICE_UNREACHABLE' &&
  ['unreachable', 'deadline'].includes(String(error.details?.fault)) &&
  !codesOf(error).some((code) => unconnected.includes(code))

/** Errors before a connection exists: nothing was sent. */
const unconnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]

const codesOf = (error: unknown): string[] =>
  error instanceof Error ? [String((error as NodeJS.ErrnoException).code), ...codesOf(error.cause)] : []
