import { inclusionOf, type MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { isObsolete } from '../operations/active-steps.ts'
import { remainingAllowance, remainingAllowanceText } from '../outcome/left-allowance.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { currentOperation, isClosed, type Run, stepAt } from '../run-state.ts'

/**
 * Records the end of a step. A reverted or cancelled step ends the operation, after `follow` has followed the later
 * steps in flight, unless the step is obsolete.
 */
export async function finishStep(
  run: Run,
  index: number,
  found: MinedTransaction,
  reached: string,
  follow: (index: number) => Promise<void>,
): Promise<void> {
  const { journal, operationId } = run
  const { ok } = found
  const attempt = journal.attempts(operationId, index).find(({ hash }) => hash === found.hash)
  const becomes = attempt?.kind === 'cancel' ? 'CANCELLED' : ok ? 'FINAL_OK' : 'FINAL_REVERTED'
  journal.moveStep(
    operationId,
    index,
    becomes,
    `block ${found.blockNumber}, ${reached}`,
    inclusionOf(found),
    reached,
  )
  run.fault?.('after_final')
  const operation = currentOperation(run)
  const step = stepAt(run, index)
  run.onProgress?.({ kind: 'final', step, hash: found.hash, blockNumber: found.blockNumber })
  if (becomes === 'FINAL_OK') return
  for (const other of currentOperation(run).steps)
    if (isInFlight(stepAt(run, other.index))) await follow(other.index)
  if (isObsolete(currentOperation(run), stepAt(run, index))) return
  // An abandoned operation ends as abandoned, whatever the result of resent steps.
  if (isClosed(currentOperation(run))) return void outcomeOf(currentOperation(run))
  const left = await remainingAllowance(run.rpc(step.transaction.chainId), operation, step)
  const details = { operation: operationId, hash: found.hash, index, allowance: left ?? null }
  const taken = remainingAllowanceText(run, step.transaction.chainId, left)
  const next = left ? { next: sluice('action revoke', operationId) } : {}
  const of = `Step ${index + 1} of ${operation.steps.length}`
  if (becomes === 'CANCELLED') {
    journal.settle(operationId, 'CANCELLED', `step ${index + 1} was cancelled`, 24, {
      allowance: left ?? null,
    })
    throw new AppError('CANCELLED', `${of} was cancelled and had no effect (${found.hash})${taken}`, {
      details,
      ...next,
    })
  }
  journal.settle(operationId, 'FAILED', `step ${index + 1} reverted`, 22, { allowance: left ?? null })
  throw new AppError('REVERTED', `${of} reverted on chain (${found.hash})${taken}`, { details, ...next })
}
