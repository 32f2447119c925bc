import type { Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'

/** A route that reads, and the question to it. */
type Read = { [name in keyof Service]: [name, Parameters<Service[name]>[0]] }[keyof Service]

/** Which route tells what became of a write that is answered without a body (204), and what it is asked. */
const reads: { [name in keyof Service]?: (written: Parameters<Service[name]>[0]) => Read } = {
  setFees: () => ['getFees', {}],
  ingest: ({ actionId }) => ['getAction', { id: actionId }],
}

/** The read that answers for a write; `undefined` for what writes nothing. */
export const readBackOf = (name: keyof Service, input: unknown): Read | undefined =>
  (reads[name] as ((input: unknown) => Read) | undefined)?.(input)

/** A write that was taken, and whose answer cannot be had, or that may have been: to do it again is not what helps. */
export function unconfirmed(cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : 'nothing'
  const more = { cause, ...(cause instanceof AppError && cause.details && { details: cause.details }) }
  return isUnanswered(cause)
    ? new AppError(
        'WRITE_UNCONFIRMED',
        `The service may have taken the change, and does not say so: ${why}`,
        {
          ...more,
          hint: 'See whether it was taken: sluice fees show',
        },
      )
    : new AppError(
        'WRITE_UNCONFIRMED',
        `The service took the change, and what it says of it cannot be used: ${why}`,
        more,
      )
}

/** Whether a write may have arrived, though no answer to it did. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'SERVICE_UNREACHABLE' &&
  ['unreachable', 'deadline'].includes(String(error.details?.fault)) &&
  !codesOf(error).some((code) => unconnected.includes(code))

/** What fails before a connection stands, so that nothing was sent. */
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
