import { refusedProposalHint } from '../../domain/error-table.ts'
import { AppError, errorRow, hasDefaultAdvice } from '../../domain/errors.ts'
import { type Advice, advice, type Next, sluice, withFlags } from '../../domain/text/next-step.ts'
import { isDust } from '../../guard/simulation/deposit-loss-check.ts'

/**
 * What to do after a failure to continue the rest of an operation; `again` is the usual command. After a policy
 * refusal it says to fix the policy first.
 */
export function continueAdvice(error: AppError, id: string, again = sluice('action resume', id)): Advice {
  const { before } = error.details ?? {}
  if (typeof before === 'string') return advice`${sluice('action resume', before)}, then: ${again}`
  const goesOn = again.command === 'action resume' || again.command === 'action replan'
  const giveUp = sluice('action abandon', id)
  if (goesOn && isDust(error)) return giveUp
  if (goesOn && error.code === 'INSUFFICIENT_FUNDS')
    return advice`To stop and see where the funds are: ${giveUp}. To continue once the wallet has the missing amount: ${again}`
  if (!error.code.startsWith('POLICY_')) return adviceAfterFix(error, again)
  const isTampering = isSignerTampering(error)
  const first = isTampering ? otherSignerAdvice(error, again) : advice`${conditionText(error)}: ${again}`
  if (again.command === 'action revoke') return first
  const revoke = sluice('action revoke', id, isTampering ? { '--wallet': 'NAME' } : {})
  return advice`${first}; to stop instead: ${revoke}`
}

/** Whether a signer returned something other than what it was asked to sign. */
export const isSignerTampering = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'POLICY_TAMPER' && error.details?.by === 'signer'

/** Continuing with the key at another signer. */
export const otherSignerAdvice = ({ next }: AppError, again: Next): Advice =>
  advice`${next}. If its key is elsewhere: ${withFlags(again, { '--wallet': 'NAME' })}`

/** The condition for continuing after a policy refusal. */
function conditionText(error: AppError): string {
  const { code, details } = error
  // The assertion of an operation never changes.
  if (typeof details?.assertion === 'string') return 'Once the condition holds'
  // A change that no flag can allow needs a new request with a different action.
  if (code === 'POLICY_TAMPER') return 'Once you know who changed it'
  return code === 'POLICY_QUOTE_DRIFT' || isRefusedProposal(error)
    ? 'Once this has changed'
    : 'Once this is allowed'
}

/** Whether no flag allows what was refused. */
const isRefusedProposal = (error: AppError): boolean =>
  hasDefaultAdvice(error) && errorRow(error.code).next === refusedProposalHint

/** Whether a failure is about the policy file, which must be repaired first. */
export const isPolicyFileFault = ({ details }: AppError): boolean => typeof details?.policy === 'string'

/** The failed command, preceded by the fix for the policy file if that is the cause. */
export const adviceAfterFix = (error: AppError, again: Next): Advice =>
  isPolicyFileFault(error) && error.next !== undefined ? advice`${error.next}, then: ${again}` : again
