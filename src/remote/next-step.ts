import { AppError } from '../domain/errors.ts'
import type { HttpFault } from '../net/http.ts'

/** What to do about an answer that is not one of this service. */
export const seeTheAnswer =
  'See where SLUICE_BASE_URL points; commands that only look print the answer as it came with --raw.'

const steps: { [kind in HttpFault]?: string } = {
  redirect: 'Set SLUICE_BASE_URL to where the service itself answers: a key does not follow a redirect.',
  certificate:
    'Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem. If it is for another host or has expired, the service must mend it; see also the clock here.',
  'not-json': seeTheAnswer,
  'too-large': seeTheAnswer,
  'too-deep': seeTheAnswer,
  encoded: seeTheAnswer,
}

/** An error of an exchange with the next step of its fault, where that is a better one than the table's. */
export function withNextStep(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const hint = steps[error.details?.fault as HttpFault]
  if (hint === undefined) return error
  const { code, message, details, cause } = error
  return new AppError(code, message, { hint, cause, ...(details && { details }) })
}

/** What to do where an address leads to a service, and not to its pages. */
const seeTheAddress = 'See where SLUICE_BASE_URL points, and mend its path: sluice config list --show-origin'

/**
 * What is not there, with the next step that its place deserves: a page that names nothing in its path can only be missing itself,
 * and one that does is where the answer says so, or is none of the service. What was looked for on a page that is there stays as it is.
 */
export function withMissingPage(error: AppError, { path }: { path: string }): AppError {
  const { code, message, details, cause } = error
  if (code !== 'NOT_FOUND' || details?.code !== undefined) return error
  if (path.includes('{') && !/^(There is no endpoint|The service answered) /.test(message)) return error
  return new AppError(code, message, { hint: seeTheAddress, cause, ...(details && { details }) })
}
