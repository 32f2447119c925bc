import type { Operation } from '../../store/journal/operation-types.ts'
import { hasLostNonce } from './active-steps.ts'

/** Whether an operation is in a final state. */
export const isFinished = ({ state }: Operation): boolean =>
  state === 'DONE' || state === 'CANCELLED' || state === 'FAILED' || state === 'DROPPED'

/**
 * Whether a run has nothing left to do: the operation is finished, or waits for a decision about a lost nonce. It
 * takes one read of the operation, since another process may end it between two reads.
 */
export const hasRunEnded = (operation: Operation): boolean =>
  isFinished(operation) || (operation.state === 'ATTENTION' && hasLostNonce(operation))

/** Whether anything of an operation was ever signed. */
export const hasSignature = ({ steps }: Pick<Operation, 'steps'>): boolean =>
  steps.some(({ attempts }) => attempts.length > 0)

/** Whether nothing of an operation is signed here: it waits for a payment that somebody makes from another wallet. */
export const isPaidElsewhere = ({ steps }: { steps: readonly unknown[] }): boolean => steps.length === 0

/** Whether an operation was cancelled or dropped, so that none of it may be signed. */
export const isClosed = ({ state }: Operation): boolean => state === 'CANCELLED' || state === 'DROPPED'
