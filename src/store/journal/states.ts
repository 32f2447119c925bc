import type { ActionStatus } from '../../domain/swap-outcome.ts'

/** The states of a step. `PLANNED` has no nonce; from `RESERVED` on it has one, for good once it is signed. */
export const stepStates = [
  'PLANNED',
  'RESERVED',
  'SIGNED',
  'BROADCAST',
  'INCLUDED',
  'FINAL_OK',
  'FINAL_REVERTED',
  'CANCELLED',
  'SUPERSEDED',
] as const

export type StepState = (typeof stepStates)[number]

/** The transitions of a step. Backward: an unsigned reservation, a block that left the chain, and a nonce that was not lost. */
export const stepTransitions: Readonly<Record<StepState, readonly StepState[]>> = {
  PLANNED: ['RESERVED'],
  RESERVED: ['SIGNED', 'PLANNED'],
  SIGNED: ['BROADCAST'],
  BROADCAST: ['INCLUDED', 'SUPERSEDED'],
  INCLUDED: ['FINAL_OK', 'FINAL_REVERTED', 'CANCELLED', 'BROADCAST'],
  FINAL_OK: ['INCLUDED'],
  FINAL_REVERTED: ['INCLUDED'],
  CANCELLED: ['INCLUDED'],
  SUPERSEDED: ['BROADCAST'],
}

/** The states of an operation. It leaves `OPEN` with its first signature, or with the payment that it waits for; before that it can be dropped, which frees its key. */
const operationStates = [
  'OPEN',
  'DROPPED',
  'EXECUTING',
  'DONE',
  'PARTIAL',
  'FAILED',
  'CANCELLED',
  'ATTENTION',
] as const

export type OperationState = (typeof operationStates)[number]

/** The action status for each operation state, before a refund is counted. */
export const statusOfState: Readonly<Record<OperationState, ActionStatus>> = {
  OPEN: 'INITIAL',
  DROPPED: 'FAILED',
  EXECUTING: 'PENDING',
  PARTIAL: 'PENDING',
  ATTENTION: 'PENDING',
  DONE: 'SUCCESS',
  FAILED: 'FAILED',
  CANCELLED: 'FAILED',
}

/** The transitions of an operation. `DONE` and `FAILED` reopen only if a final block leaves the chain, or a deposit is paid late. */
/** The states that may follow each state of an operation. */
export const operationTransitions: Readonly<Record<OperationState, readonly OperationState[]>> = {
  OPEN: ['EXECUTING', 'FAILED', 'CANCELLED', 'DROPPED'],
  DROPPED: [],
  EXECUTING: ['DONE', 'PARTIAL', 'FAILED', 'CANCELLED', 'ATTENTION'],
  DONE: ['EXECUTING'],
  PARTIAL: ['EXECUTING', 'CANCELLED'],
  FAILED: ['EXECUTING'],
  CANCELLED: [],
  ATTENTION: ['EXECUTING', 'CANCELLED'],
}
