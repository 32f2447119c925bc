import type { Service } from '../api/service.ts'
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

/** A write that was taken, and whose answer cannot be had: to do it again is not what helps. */
export const unconfirmed = (cause: unknown): AppError =>
  new AppError(
    'WRITE_UNCONFIRMED',
    `The service took the change, and what it says of it cannot be used: ${cause instanceof Error ? cause.message : 'nothing'}`,
    { cause, ...(cause instanceof AppError && cause.details && { details: cause.details }) },
  )
