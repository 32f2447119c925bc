import { notAsked } from '../../domain/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { isDust } from '../../guard/simulation/rounding-limits.ts'

/** How to go on with what is left of an operation after a failure, `again` as a rule: what is not allowed now is refused again. */
export function continueHint(error: AppError, id: string, again = `sluice action resume ${id}`): string {
  const { before } = error.details ?? {}
  if (typeof before === 'string') return `sluice action resume ${before}, then: ${again}`
  const goesOn = / (resume|replan) /.test(again)
  const giveUp = `sluice action abandon ${id}`
  if (goesOn && isDust(error)) return giveUp
  if (goesOn && error.code === 'INSUFFICIENT_FUNDS')
    return `To go no further, and see where the funds are: ${giveUp}; once it has that: ${again}`
  if (!error.code.startsWith('POLICY_')) return hintAfterFix(error, again)
  const revoke = `sluice action revoke ${id}`
  const giveUpInstead = again.startsWith(revoke) ? '' : `; to go no further: ${revoke}`
  return isSignerTampering(error)
    ? otherSignerHint(error, again).concat(giveUpInstead && `${giveUpInstead} --wallet NAME`)
    : `${onceOf(error)}: ${again}`.concat(giveUpInstead)
}

/** Whether a signer gave back something else than it was asked for. */
export const isSignerTampering = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'POLICY_TAMPER' && error.details?.by === 'signer'

/** What goes on without the signer that cheated. */
export const otherSignerHint = ({ hint }: AppError, again: string): string =>
  `${hint}; with its key elsewhere: ${again} --wallet NAME`

/** When it can be gone on with after a rule said no. */
function onceOf({ code, details, hint }: AppError): string {
  // Its condition stays what it was when it was begun.
  if (typeof details?.assertion === 'string') return 'Once that holds'
  // What nobody can allow is asked for anew when it is another thing.
  if (code === 'POLICY_TAMPER') return 'Once you know who changed it'
  return code === 'POLICY_QUOTE_DRIFT' || hint === notAsked ? 'Once that has changed' : 'Once that is allowed'
}

/** Whether a failure is about the file of a policy, which must be mended before anything else. */
export const isPolicyFileFault = ({ details }: AppError): boolean => typeof details?.policy === 'string'

/** A command that failed, behind what mends a file that is in the way of it. */
export const hintAfterFix = (error: AppError, again: string): string =>
  isPolicyFileFault(error) && error.hint !== undefined ? `${error.hint}, then: ${again}` : again
