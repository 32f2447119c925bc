import { parseUnits } from 'viem/utils'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import {
  type Advice,
  advice,
  bothAdvices,
  type Flags,
  type Next,
  sluice,
  withFlags,
} from '../../domain/text/next-step.ts'
import type { Attempt, Operation, Step } from '../../store/journal/operation-types.ts'
import { inSendingOrder, isBehindForeign, isCancelling } from '../attempts/fee-bump.ts'
import { pendingDelivery } from '../bridge/pending-delivery.ts'
import { continueAdvice, isSignerTampering, otherSignerAdvice } from '../outcome/continue-hints.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { isNodeFailure, runStopped } from '../run.ts'
import { isAllFinal } from '../steps/active-steps.ts'
import { hasSignature, isClosed } from '../steps/operation-state.ts'
import { isFeeTooLow, isPermanentError, type SendError, sendErrorOf } from '../steps/send-errors.ts'
import type { On } from './execute-operation.ts'
import { interruptedError, pendingCause, timeoutError } from './timeout-and-interrupt-errors.ts'

/** The run that failed, as its end needs it. */
type Failed = Pick<On, 'run' | 'operation' | 'seen' | 'followed'>

/** Returns the send error of the first signed step that is in no block, with its attempts. */
function sendErrorOfStep({
  steps,
}: Operation): { refused: SendError; attempts: readonly Attempt[] } | undefined {
  const { attempts = [] } = steps.find(({ state }) => state === 'SIGNED' || state === 'BROADCAST') ?? {}
  const refused = sendErrorOf(inSendingOrder(attempts)[0])
  return refused && { refused, attempts }
}

/** The command after a send error: a higher fee if it was too cheap, a cancellation if the node can never accept it. */
function sendErrorAdvice(
  { run: { operationId: id, networks } }: Failed,
  { refused, attempts }: { refused: SendError; attempts: readonly Attempt[] },
  resume: Next,
  chainId: number,
): Advice {
  const network = networkNamed(networks, chainId)
  if (isBehindForeign(attempts))
    return advice`Another transaction of this wallet is pending with its nonce. To see it: ${sluice('action explain', id)}. To replace it with this one: ${sluice('action speed-up', id)}`
  const cancel = sluice('action cancel', id, { '--yes': true })
  if (isFeeTooLow(refused)) return isCancelling(attempts) ? cancel : sluice('action speed-up', id)
  if (refused.is === 'barred') return advice`Set another RPC in ${rpcVariable(network)}, then: ${resume}`
  return isPermanentError(refused) ? cancel : resume
}

/** The error if the journal itself became unusable: it cannot prove that nothing was signed. */
export const unreadableJournalError = (operation: string, cause: unknown): AppError =>
  new AppError('JOURNAL_UNREADABLE', 'A transaction may be signed, but the journal cannot be used any more', {
    details: { operation },
    cause,
  })

/** Returns the outcome of an operation that another process closed during this run: the journal accepts no more signatures. */
function closedOutcome({ operation: now, followed }: Failed, error: unknown): unknown {
  if (followed || !isClosed(now) || (error instanceof AppError && errorRow(error.code).exit === now.exit))
    return undefined
  try {
    outcomeOf(now)
    return undefined
  } catch (end) {
    return end
  }
}

/**
 * Returns the error that ends a run, with a correct statement whether something was signed. An operation that another
 * process closed meanwhile is reported as it ended.
 */
export function runError(failed: Failed, error: unknown): unknown {
  const closed = closedOutcome(failed, error)
  if (closed) return closed
  const { run, operation } = failed
  const resume = sluice('action resume', run.operationId)
  const details = { operation: run.operationId }
  const signed = hasSignature(operation)
  if (error === runStopped && !signed) {
    const isOver = !run.signal?.aborted && run.clock.now() >= run.until
    return isOver ? timeoutError(run, operation) : interruptedError(run, details)
  }
  const isOfNonce = error instanceof AppError && error.code === 'NONCE_USED' && signed
  const isEnd = error instanceof AppError && errorRow(error.code).exit >= 20
  if (isEnd && error.code !== 'INTERRUPTED' && !isOfNonce) return error
  if (!signed) return isClosed(operation) ? error : unsignedError(error)
  const why = error instanceof Error ? error.message : 'something went wrong'
  const inTheAir = operation.steps.find(isInFlight)
  const again = inTheAir ? againFor(failed, inTheAir) : resume
  if (error === runStopped) return pendingError(failed, inTheAir, again)
  const retryable = error instanceof AppError && errorRow(error.code).retryable === true
  if (inTheAir || retryable || !(error instanceof AppError))
    return new AppError('PENDING', `Signed, but not followed until final: ${why}`, {
      details,
      cause: error,
      next: isSignerTampering(error) ? otherSignerAdvice(error, again) : again,
    })
  return new AppError('PARTIAL', `The action is partly done; the remaining steps were not signed: ${why}`, {
    details: { ...details, cause: error.code },
    cause: error,
    // Another machine may have sent this step with the pinned nonce: what was sent comes first.
    next: isOfNonce
      ? (error.next ?? sluice('action explain', run.operationId))
      : continueAdvice(error, run.operationId, withFlags(resume, maxFeeFlag(failed, error))),
  })
}

/** What was asked, as far as it is not done. A step that is being cancelled is followed by `resume`, which signs nothing after it. */
function againFor({ run: { replacement, operationId: id }, seen }: Failed, { index }: Step): Next {
  if (replacement === undefined || seen.replaced.has(index)) return sluice('action resume', id)
  return replacement === 'cancel'
    ? sluice('action cancel', id, { '--yes': true })
    : sluice('action speed-up', id)
}

/** Whether no node answered when a step was sent: it may still be in flight. */
const isUnanswered = ({ attempts, state }: Step): boolean =>
  state !== 'INCLUDED' && attempts.every(({ lastAnswer }) => (lastAnswer?.is ?? 'unknown') === 'unknown')

/** That a transaction is sent, and which step it is if later ones are not signed: an approval alone moves nothing. */
function sentSoFar({ steps }: Operation, { index }: Step): string {
  return steps.some(isUnsigned)
    ? `Step ${index + 1} of ${steps.length} is signed and sent, not final yet; what follows it is not signed yet`
    : 'Signed and sent, not final yet'
}

/** The error for a timeout, or for not waiting, while something is signed, with the known cause of the delay. */
function pendingError(failed: Failed, inTheAir: Step | undefined, again: Next): AppError {
  const { run, operation } = failed
  const error = (why: string, next: Advice, more: Record<string, unknown> = {}) =>
    new AppError('PENDING', why, { details: { operation: run.operationId, ...more }, next })
  // A run that was over before it could go on leaves the operation as it was.
  if (!inTheAir && operation.state === 'PARTIAL')
    return new AppError(
      'PARTIAL',
      `The action is partly done, and its remaining steps are not signed yet: ${run.signal?.aborted ? 'interrupted' : 'the time limit was reached'}`,
      { details: { operation: run.operationId }, next: again },
    )
  if (!inTheAir && isAllFinal(operation))
    return error(
      'All transactions are signed and final, but the funds have not arrived yet',
      advice`${again}. To see the state on the chains and at the service: ${sluice('action explain', run.operationId)}`,
    )
  const awaited = inTheAir ? undefined : pendingDelivery(operation)
  if (awaited)
    return error(
      `What was signed is final, but the funds have not arrived on ${networkNamed(run.networks, awaited.leg.chainId).name} yet; the steps there are not signed yet`,
      again,
    )
  if (!inTheAir) return error('Some steps are final; the remaining steps are not signed yet', again)
  const known = pendingCause(failed, inTheAir, again)
  if (known) return error(known.why, known.next, known.details)
  const said = sendErrorOfStep(operation)
  if (!said) {
    const known = isUnanswered(inTheAir)
      ? 'The transaction is signed, but no node has confirmed yet that it accepted it'
      : sentSoFar(operation, inTheAir)
    const { error: silent } = failed.seen.fault ?? {}
    // A person who interrupts did not wait for the node.
    return silent instanceof AppError && isNodeFailure(silent) && !run.signal?.aborted
      ? error(`${known}. ${silent.message}`, bothAdvices(silent.next, again))
      : error(known, again)
  }
  return error(
    `The transaction is signed but not final yet; the node refused it when it was sent: ${said.refused.words}`,
    run.replacement === 'cancel' ? again : sendErrorAdvice(failed, said, again, inTheAir.transaction.chainId),
    { refused: said.refused.words },
  )
}

/** The flag that allows a fee beyond the plan, if only the plan and no policy forbids it. */
function maxFeeFlag({ run, operation }: Failed, { code, details }: AppError): Flags {
  const enough = details?.enough
  const step = operation.steps.find(isUnsigned)
  if (code !== 'POLICY_FEE_CAP' || typeof enough !== 'string' || !step) return {}
  const wei = parseUnits(enough, 9)
  try {
    const cap = run.feeCap?.(step, leastGas, 'first', wei) ?? wei
    return cap < wei ? {} : { '--max-fee': enough }
  } catch (error) {
    // An unreadable policy allows nothing.
    if (error instanceof AppError) return {}
    throw error
  }
}

/** The least gas of any transaction. */
const leastGas = 21_000n

/** A failure before anything was signed. That of a signer covers one request; here it is known that there was none before. */
function unsignedError(error: unknown): unknown {
  if (!(error instanceof AppError) || (error.code !== 'DECLINED' && error.code !== 'KEY_SOURCE')) return error
  const { code, brief, details, next } = error
  // Whether a silent signer has signed is unknown, but nothing reached a node.
  const nothing = code === 'DECLINED' ? 'signed' : 'sent'
  return new AppError(code, brief, { nothing, cause: error, details, next })
}
