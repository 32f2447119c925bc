import { AppError, refusedProposalHint } from '../../domain/errors.ts'
import { isDust } from '../../guard/simulation/deposit-loss-check.ts'

/**
 * The hint after a failure on how to continue the rest of an operation; `again` is the usual command. After a policy
 * refusal it says to fix the policy first.
 */
export function continueHint(error: AppError, id: string, again = `sluice action resume ${id}`): string {
  const { before } = error.details ?? {}
  if (typeof before === 'string') return `sluice action resume ${before}, then: ${again}`
  const goesOn = / (resume|replan) /.test(again)
  const giveUp = `sluice action abandon ${id}`
  if (goesOn && isDust(error)) return giveUp
  if (goesOn && error.code === 'INSUFFICIENT_FUNDS')
    return `To stop and see where the funds are: ${giveUp}. To continue once the wallet has the missing amount: ${again}`
  if (!error.code.startsWith('POLICY_')) return hintAfterFix(error, again)
  const revoke = `sluice action revoke ${id}`
  const giveUpInstead = again.startsWith(revoke) ? '' : `; to stop instead: ${revoke}`
  return isSignerTampering(error)
    ? otherSignerHint(error, again).concat(giveUpInstead && `${giveUpInstead} --wallet NAME`)
    : `${conditionText(error)}: ${again}`.concat(giveUpInstead)
}

/** Whether a signer returned something other than what it was asked to sign. */
export const isSignerTampering = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'POLICY_TAMPER' && error.details?.by === 'signer'

/** The hint to continue with the key at another signer. */
export const otherSignerHint = ({ hint }: AppError, again: string): string =>
  `${hint}. If its key is elsewhere: ${again} --wallet NAME`

/** The condition for continuing after a policy refusal. */
function conditionText({ code, details, hint }: AppError): string {
  // The assertion of an operation never changes.
  if (typeof details?.assertion === 'string') return 'Once the condition holds'
  // A change that no flag can allow needs a new request with a different action.
  if (code === 'POLICY_TAMPER') return 'Once you know who changed it'
  return code === 'POLICY_QUOTE_DRIFT' || hint === refusedProposalHint
    ? 'Once this has changed'
    : 'Once this is allowed'
}

/** Whether a failure is about the policy file, which must be repaired first. */
export const isPolicyFileFault = ({ details }: AppError): boolean => typeof details?.policy === 'string'

/** The failed command, preceded by the fix for the policy file if that is the cause. */
export const hintAfterFix = (error: AppError, again: string): string =>
  isPolicyFileFault(error) && error.hint !== undefined ? `${error.hint}, then: ${again}` : again
