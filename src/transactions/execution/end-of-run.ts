import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { quoteExpiredError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { remainingAllowance, remainingAllowanceText } from '../outcome/left-allowance.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { runStopped } from '../run.ts'
import { isClosed } from '../steps/operation-state.ts'
import { deliveryError, stoppedDeliveryError } from './await-delivery.ts'
import type { On } from './execute-operation.ts'
import { runError } from './run-failure.ts'
import type { End } from './state.ts'

/** Returns the operation of a run that is done, or throws how it ended. */
export async function endOf(on: On, end: End): Promise<Operation> {
  const { run, operation, seen } = on
  switch (end.because) {
    case 'over':
      if (end.index !== undefined) throw ineffectiveError(on, end.index)
      if (seen.superseded) throw await supersededError(on, seen.superseded)
      return isClosed(operation) ? outcomeWithSteps(on) : outcomeOf(operation)
    case 'stopped':
      throw runError(on, awaitedError(on) ?? runStopped)
    case 'failed': {
      const { act, error } = seen.fault!
      throw act.is === 'compare' && error instanceof AppError ? error : runError(on, error)
    }
    case 'expired':
      throw runError(on, quoteExpiredError(end.at * 1_000))
    case 'ended before':
      throw runError(on, endedBeforeError(operation, end.index))
    case 'mined before its cancellation':
      throw runError(on, notCancelledError(operation))
    case 'delivery': {
      const leg = operation.legs.find(({ leg: at }) => at === end.leg)!
      throw runError(on, deliveryError(run, leg, seen.delivery!))
    }
  }
}

/** What a run that was stopped knows of the delivery that it waited for. */
function awaitedError({ run, operation: { legs, steps }, seen: { delivery } }: On): AppError | undefined {
  const leg = legs.find(({ arrival }) => arrival?.hash === null)
  return delivery && leg && !steps.some(isInFlight) ? stoppedDeliveryError(run, leg, delivery) : undefined
}

/** The error of an operation that a reverted or cancelled step ended. */
function ineffectiveError({ run, operation, seen: { left } }: On, index: number): AppError {
  const step = operation.steps.find((one) => one.index === index)!
  const { hash } = step.inclusion!
  const details = { operation: operation.id, hash, index, allowance: left ?? null }
  const taken = remainingAllowanceText(run, step.transaction.chainId, left)
  const next = left ? { next: sluice('action revoke', operation.id) } : {}
  const of = `Step ${index + 1} of ${operation.steps.length}`
  return step.state === 'CANCELLED'
    ? new AppError('CANCELLED', `${of} was cancelled and had no effect (${hash})${taken}`, {
        details,
        ...next,
      })
    : new AppError('REVERTED', `${of} reverted on chain (${hash})${taken}`, { details, ...next })
}

/** The error of an operation with a step whose nonce another transaction used. */
async function supersededError(
  { run, operation, reader }: On,
  { index, owner, hash }: NonNullable<On['seen']['superseded']>,
): Promise<AppError> {
  const step = operation.steps.find((one) => one.index === index)!
  const { nonce, wallet, transaction } = step
  const left = await remainingAllowance(reader(transaction.chainId), operation, step)
  const taken = remainingAllowanceText(run, transaction.chainId, left)
  return new AppError(
    'SUPERSEDED',
    `Nonce ${nonce} of ${wallet} was used by ${hash ? `another transaction, ${hash}` : `${owner}; no node has a receipt of this one`}${taken}`,
    {
      details: { operation: operation.id, hash, nonce, allowance: left ?? null },
      // Another machine may have sent the same payment: what was sent comes first.
      next: hash ? sluice('action explain', hash) : sluice('action explain', operation.id),
    },
  )
}

/** The error of a step that had ended without effect and is in no block now. */
const endedBeforeError = ({ id }: Operation, index: number): AppError =>
  new AppError(
    'PENDING',
    `Step ${index + 1} of ${id} had ended without effect, but is in no block now: the node is behind, or a reorganisation removed it from the chain. Because the request may have been repeated since, the step is not sent again; until it is mined or cancelled, its wallet can send nothing else`,
    { details: { operation: id, index }, next: sluice('action cancel', id, { '--yes': true }) },
  )

/** The error if a step was mined before it could be cancelled: the steps after it are not signed. */
function notCancelledError({ id, state }: Operation): AppError {
  if (state === 'OPEN')
    return new AppError('USAGE', `${id} has no signed transaction, so there is nothing to cancel`, {
      details: { operation: id },
      next: sluice('action abandon', id),
    })
  const why = 'it was mined before it could be cancelled'
  return new AppError('PARTIAL', `The action is partly done; the remaining steps were not signed: ${why}`, {
    details: { operation: id },
    next: advice`${sluice('action resume', id)}, or close it: ${sluice('action abandon', id)}`,
  })
}

/** Returns or throws the outcome of an abandoned operation, with the ends of the steps that were followed. */
function outcomeWithSteps({ operation, followed }: On): Operation {
  if (!followed) return outcomeOf(operation)
  try {
    return outcomeOf(operation)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const outcomes = operation.steps
      .filter(({ index }) => followed.has(index))
      .map((step) => stepOutcomeText(operation, step))
    const { code, message, details, next } = error
    throw new AppError(code, [message, ...outcomes].join('. '), { cause: error, details, next })
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
