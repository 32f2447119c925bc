import type { Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'

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

/** The error for a write whose result is unknown: it was accepted, or may have been. Repeating it does not help. */
export function unconfirmedWriteError(cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : 'nothing'
  const more = { cause, ...(cause instanceof AppError && cause.details && { details: cause.details }) }
  return isUnansweredWrite(cause)
    ? new AppError(
        'WRITE_UNCONFIRMED',
        `The service may have applied the change but did not confirm it: ${why}`,
        {
          ...more,
          hint: 'To check whether it was applied: sluice fees show',
        },
      )
    : new AppError(
        'WRITE_UNCONFIRMED',
        `The service applied the change, but its response is invalid: ${why}`,
        more,
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
