import { z } from 'zod'
import { AppError, type ErrorCode, errorRow, isErrorCode } from '../domain/errors.ts'

/** The error body of the service. */
export const ErrorEnvelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    // Malformed details do not hide the code.
    details: z.record(z.string(), z.unknown()).optional().catch(undefined),
  }),
})

/** Converts an error to its status and body. An error without a status becomes INTERNAL_SERVER_ERROR and does not reveal its cause. */
export function toEnvelope(error: unknown): { status: number; body: z.output<typeof ErrorEnvelope> } {
  const status = error instanceof AppError ? errorRow(error.code).status : undefined
  if (!(error instanceof AppError) || status === undefined)
    return { status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR', message: 'Unexpected error' } } }
  const { code, details } = error
  const message = withoutVariables(error.message)
  return { status, body: { error: { code, message, ...(details && { details }) } } }
}

/** A message without the names of environment variables: they are the operator's, and a client cannot set them. */
const withoutVariables = (message: string): string =>
  message.replace(/\bSLUICE_[A-Z0-9_]*(<[A-Z]+>[A-Z_]*)?/g, 'a setting of the operator')

/** Converts an error response to an AppError. An unknown code goes to `details.code`, and the status decides the meaning. `isOfGateway`: it is a web page. */
export function fromEnvelope(status: number, body: unknown, isOfGateway = false): AppError {
  const error = ErrorEnvelope.safeParse(body).data?.error ?? {
    code: '',
    message: `${isOfGateway ? 'The gateway in front of the service, and not the service,' : 'The service'} answered ${status}`,
    details: undefined,
  }
  if (isErrorCode(error.code) && errorRow(error.code).status !== undefined)
    return new AppError(error.code, error.message, error.details ? { details: error.details } : {})
  return new AppError(codeOfStatus(status), error.message, {
    details: { ...error.details, ...(error.code && { code: error.code }) },
  })
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'UNAUTHORIZED'
  if (status === 404) return 'NOT_FOUND'
  if (status === 405 || status === 501) return 'METHOD_NOT_ALLOWED'
  if (status === 422) return 'VALIDATION_ERROR'
  if (status === 429) return 'RATE_LIMITED'
  if (status >= 400 && status < 500) return 'BAD_REQUEST'
  return 'INTERNAL_SERVER_ERROR'
}

/**
 * Converts schema issues of a request to the specification's error: a 422 that lists every issue with its path and message, or, if only
 * addresses are invalid, the 400 of an invalid address. `sent` is the parsed request; the error does not repeat it.
 */
export function invalidInputError(issues: readonly z.core.$ZodIssue[], sent: unknown): AppError {
  const errors = issues.map(({ path, message }) => ({
    path: path.join('.'),
    message: valueAt(sent, path) === undefined ? 'is missing' : message,
  }))
  const [first] = errors
  const summary = first ? `${first.path || 'The request'}: ${first.message}` : 'The request is not valid'
  const isAddress = issues.length > 0 && issues.every(isAboutAnAddress)
  return new AppError(isAddress ? 'INVALID_ADDRESS' : 'VALIDATION_ERROR', summary, { details: { errors } })
}

/** The error for a request to an endpoint that does not exist. By its details a client knows that no item is missing. */
export const missingEndpoint = (endpoint: string): AppError =>
  new AppError('NOT_FOUND', `There is no endpoint ${endpoint}`, { details: { endpoint } })

const isAboutAnAddress = (issue: z.core.$ZodIssue) =>
  issue.code === 'custom' && issue.params?.address === true

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<PropertyKey, unknown>)[name]
        : undefined,
    value,
  )
