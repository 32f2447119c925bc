import type { z } from 'zod'

import { AppError } from '../domain/errors.ts'

/**
 * What a schema has against a request, as the error of the specification: a 422 that lists every issue with its path and
 * message; where addresses are all that is wrong, the 400 of an invalid address. `sent` is what was read, and is not repeated.
 */
export function refusedInput(issues: readonly z.core.$ZodIssue[], sent: unknown): AppError {
  const errors = issues.map(({ path, message }) => ({
    path: path.join('.'),
    message: valueAt(sent, path) === undefined ? 'is missing' : message,
  }))
  const [first] = errors
  const about = first ? `${first.path || 'The request'}: ${first.message}` : 'The request is not valid'
  const isAddress = issues.length > 0 && issues.every(isAboutAnAddress)
  return new AppError(isAddress ? 'INVALID_ADDRESS' : 'VALIDATION_ERROR', about, { details: { errors } })
}

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
