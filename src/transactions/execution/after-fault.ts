import { AppError, errorRow } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { inSendingOrder } from '../attempts/fee-bump.ts'
import { isNodeFailure } from '../run.ts'
import { hasSignature, isClosed } from '../steps/operation-state.ts'
import { needsImmediateBump } from '../steps/send-errors.ts'
import type { Act, End, May, Seen } from './state.ts'

/** How long, in ms, another node behind the same address may lack a block that was just mined. */
const retryWindowMs = 12_000

/** Errors of a signer that nobody attends, or of a policy that cannot be read: what is sent already is still followed. */
export const isDeclined = (error: unknown): boolean =>
  error instanceof AppError && ['KEY_SOURCE', 'DECLINED', 'CONFIG_INVALID'].includes(error.code)

/**
 * What the failure of an act means. `undefined` if the run goes on: a node may answer the next time, and a step that would fail may only
 * lack the block of the step before it.
 */
export function afterFault(op: Operation, seen: Seen, may: May, now: number): Act | undefined {
  const { act, error } = seen.fault!
  const isNode = isNodeFailure(error)
  switch (act.is) {
    case 'compare':
      return { is: 'end', because: 'failed' }
    case 'look':
      if (isNode && may.send) return undefined
      break
    case 'lock':
      if (may.isAborted) return undefined
      break
    case 'reserve':
      // The view may be older than a block that another process has recorded since.
      if (isCode(error, 'RPC_INCONSISTENT') && seen.refusals === 1) return undefined
      if (seen.sent.size > 0 && lacksOwn(op, seen, error)) return undefined
      break
    case 'check':
    case 'sign': {
      if (act.is === 'sign' && act.kind !== 'run')
        return isReplacementLeft(op, seen, may, isNode) ? undefined : failed(op, seen, error)
      const isShort = isCode(error, 'SIMULATION_REVERTED') || isCode(error, 'INSUFFICIENT_FUNDS')
      // The newest block may lack what this run has just sent.
      if (isCode(error, 'SIMULATION_REVERTED') && op.steps.some((step) => isOwnInFlight(step, seen)))
        return undefined
      const chainId = op.steps.find(({ index }) => index === act.index)!.transaction.chainId
      const isEarly = seen.doneAt !== null && now - seen.doneAt <= retryWindowMs && now + 1_000 < may.until
      if (isShort && isEarly && !may.local.has(chainId) && !may.isAborted) return undefined
    }
  }
  return failed(op, seen, error)
}

const isCode = (error: unknown, code: string): boolean => error instanceof AppError && error.code === code

const isOwnInFlight = (step: Operation['steps'][number], { sent, unsent }: Seen): boolean =>
  isInFlight(step) && (sent.has(step.index) || unsent.has(step.index))

/** Whether a nonce is refused only because the node lacks a transaction that this run has sent. */
const lacksOwn = ({ steps }: Operation, seen: Seen, error: unknown): boolean =>
  error instanceof AppError &&
  ['FOREIGN_PENDING', 'NONCE_GAP'].includes(error.code) &&
  steps.some((step) => isOwnInFlight(step, seen) && step.nonce === error.details?.pending)

/** Whether a run goes on after a replacement that was not signed: what is sent already may still be mined. */
function isReplacementLeft(op: Operation, seen: Seen, may: May, isNode: boolean): boolean {
  const { act, error } = seen.fault!
  if (isNode) return may.wait
  if (act.is !== 'sign' || (may.replace !== undefined && !seen.replaced.has(act.index))) return false
  if (isDeclined(error)) return true
  // Above the fee cap: told only if the pool has refused the transaction, so that it waits in vain.
  const attempts = op.steps.find(({ index }) => index === act.index)!.attempts
  return isCode(error, 'PENDING') && !needsImmediateBump(inSendingOrder(attempts)[0])
}

/** The end of a run by an error. The operation is partly done if some of it is signed, nothing is in flight, and the same would fail again. */
export function failed(
  op: Operation,
  seen: Seen,
  error: unknown,
  end: End = { is: 'end', because: 'failed' },
): Act {
  const isSigned = hasSignature(op)
  if (!isSigned || !(error instanceof AppError) || op.steps.some(isInFlight) || isClosed(op)) return end
  const { exit, retryable } = errorRow(error.code)
  // A used nonce of a step that was not signed: another machine may have sent it.
  const isEnd = exit >= 20 && error.code !== 'INTERRUPTED' && error.code !== 'NONCE_USED'
  if (isEnd || retryable || op.state === 'PARTIAL' || seen.fault?.act.is === 'settle') return end
  return { is: 'settle', state: 'PARTIAL', exit: 21, why: error.message, end }
}
