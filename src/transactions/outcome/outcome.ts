import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import {
  isRefunded,
  isUnderDelivered,
  isUnfilled,
  refundError,
  underDeliveryError,
  unfilledError,
} from '../bridge/delivery-result.ts'
import { activeSteps } from '../steps/active-steps.ts'
import { depositError } from './bitcoin-deposit.ts'

/** Returns or throws the outcome of a finished operation; the same on every call. */
export function outcomeOf(operation: Operation): Operation {
  const { id, state, steps } = operation
  if (state === 'DONE') return operation
  if (state === 'CANCELLED' && operation.exit === 24)
    throw new AppError('CANCELLED', `Action ${id} was cancelled`, {
      details: { operation: id },
      next: sluice('action show', id),
    })
  if (state === 'ATTENTION') {
    const lost = steps.findLast((step) => step.state === 'SUPERSEDED')
    throw new AppError('SUPERSEDED', `A nonce of action ${id} was used by another transaction`, {
      details: { operation: id, index: lost?.index ?? null, nonce: lost?.nonce ?? null },
      next: sluice('action explain', id),
    })
  }
  if (state === 'DROPPED')
    throw new AppError('DECLINED', `Action ${id} was abandoned before anything was signed`, {
      details: { operation: id },
      next: 'To do it after all, run the original command again: its key is free.',
    })
  if (state === 'CANCELLED' && steps.some(isInFlight))
    throw new AppError(
      'PENDING',
      `Action ${id} was abandoned, but a reorganisation removed one of its final transactions from the chain: that transaction is pending again`,
      { details: { operation: id }, next: sluice('action resume', id) },
    )
  if (state === 'CANCELLED' && steps.some((step) => step.role === 'action' && step.state === 'FINAL_OK'))
    throw new AppError(
      'PARTIAL',
      `Action ${id} was abandoned after its funds were moved: only its remaining steps were not signed, and will not be`,
      { details: { operation: id }, next: sluice('action explain', id) },
    )
  if (state === 'CANCELLED')
    throw new AppError(
      'PARTIAL',
      `Action ${id} was abandoned: its remaining steps were not signed and will not be`,
      {
        details: { operation: id },
        next: sluice('action explain', id),
      },
    )
  if (state === 'OPEN' || state === 'EXECUTING' || state === 'PARTIAL')
    throw new AppError('PENDING', `Action ${id} is not finished, but has no steps left to plan`, {
      details: { operation: id },
      next: sluice('action resume', id),
    })
  const ended = depositError(operation)
  if (ended) throw ended
  if (isRefunded(operation)) throw refundError(operation)
  if (isUnfilled(operation)) throw unfilledError(operation)
  if (isUnderDelivered(operation)) throw underDeliveryError(operation)
  const failed = activeSteps(operation).find((step) => step.state === 'FINAL_REVERTED')
  if (!failed)
    throw new AppError('ACTION_FAILED', `Action ${id} failed, and its journal does not state the cause`, {
      details: { operation: id },
      next: sluice('action explain', id),
    })
  throw new AppError('REVERTED', `Action ${id} reverted on chain`, {
    details: { operation: id, hash: failed.inclusion?.hash ?? null, index: failed.index },
    next: sluice('action explain', id),
  })
}
