import type { ChainClient } from '../chain/chain-client.ts'
import { AppError } from '../domain/errors.ts'
import { isInFlight } from '../domain/step-state.ts'
import { sluice } from '../domain/text/next-step.ts'
import type { OperationJournal, ReorgJournal } from '../store/journal/journal-interface.ts'
import type { Operation, Step } from '../store/journal/operation-types.ts'
import { confirmStep } from './confirmation/confirmer.ts'
import { outcomeOf } from './outcome/outcome.ts'
import { abandonedFailureOf } from './outcome/run-failure.ts'
import { reorganisedSteps } from './reorganisations.ts'
import { cancelLeg } from './replacement/cancel-leg.ts'
import { currentOperation, type Run, stepAt, withWalletLock } from './run-state.ts'

/**
 * Reopens steps of an abandoned operation whose blocks left their chain, so that they are resent as signed, or
 * cancelled; otherwise they would block the wallet's later transactions. The operation stays abandoned. Returns
 * whether a step is in flight. A reverted step might succeed now and is only cancelled.
 */
export async function reopenAbandoned(
  { journal, rpc }: { journal: OperationJournal & ReorgJournal; rpc: (chainId: number) => ChainClient },
  id: string,
  replacement: 'cancel' | undefined,
): Promise<boolean> {
  const operation = journal.find(id)
  if (operation?.state !== 'CANCELLED' || operation.exit === 24) return false
  const gone = await reorganisedSteps(rpc, operation)
  const reverted = gone.find(({ state }) => state === 'FINAL_REVERTED')
  if (reverted && !replacement)
    throw new AppError(
      'PARTIAL',
      `Action ${id} was abandoned, and a reorganisation removed its reverted step ${reverted.index + 1} from the chain: the step is not sent again, because it might succeed now`,
      {
        details: { operation: id, index: reverted.index },
        next: sluice('action cancel', id, { '--yes': true }),
      },
    )
  if (gone.length > 0)
    journal.reopenSteps(
      id,
      gone.map(({ index }) => index),
      'a deep reorganisation took its block away',
    )
  return gone.length > 0 || operation.steps.some(isInFlight)
}

/**
 * Follows the in-flight steps of an abandoned operation to their end, or cancels them on request. Signs nothing else,
 * and the operation ends as before.
 */
export async function finishAbandoned(run: Run): Promise<Operation> {
  const { legs, steps } = currentOperation(run)
  const open = steps.filter(isInFlight)
  try {
    for (const leg of legs.filter((one) => open.some((step) => step.leg === one.leg)))
      await withWalletLock(run, leg.chainId, async () => {
        if (run.replacement === 'cancel') await cancelLeg(run, leg)
        for (const { index } of open.filter((step) => step.leg === leg.leg)) await followStep(run, index)
      })
  } catch (error) {
    throw abandonedFailureOf(run, error)
  }
  return outcomeWithSteps(run, open)
}

/** Follows one step. Its failure is reported together with the operation. */
async function followStep(run: Run, index: number): Promise<void> {
  if (!isInFlight(stepAt(run, index))) return
  try {
    await confirmStep(run, index, false)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PARTIAL') || isInFlight(stepAt(run, index)))
      throw error
  }
}

/** Returns or throws the outcome of the abandoned operation, with the results of the followed steps. */
function outcomeWithSteps(run: Run, open: readonly Step[]): Operation {
  const operation = currentOperation(run)
  try {
    return outcomeOf(operation)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details, cause, next } = error
    const outcomes = open.map(({ index }) => stepOutcomeText(operation, stepAt(run, index)))
    throw new AppError(code, [message, ...outcomes].join('. '), {
      cause,
      ...(details && { details }),
      ...(next !== undefined && { next }),
    })
  }
}

const stepEndText: Partial<Record<Step['state'], string>> = {
  FINAL_OK: 'is on the chain again and final',
  FINAL_REVERTED: 'is on the chain again, reverted',
  CANCELLED: 'was cancelled',
  SUPERSEDED: 'lost its nonce to another transaction',
}

const stepOutcomeText = ({ steps }: Operation, { index, state, inclusion }: Step): string =>
  `Step ${index + 1} of ${steps.length}, which a reorganisation had removed from the chain, ${stepEndText[state] ?? 'is pending'}${inclusion ? ` (${inclusion.hash})` : ''}`
