import type { State } from '../../domain/swap-outcome.ts'

/**
 * Every possible transition; any other is a bug. `expired` and `failed` can be left: the chain overrides the clock, and a reverted
 * transaction may be sent again.
 */
export const transitions: Readonly<Record<State, readonly State[]>> = {
  pending: ['confirmed', 'processing', 'fulfilled', 'expired', 'failed', 'refunded'],
  confirmed: ['pending', 'processing', 'fulfilled', 'failed', 'refunded'],
  processing: ['pending', 'confirmed', 'fulfilled', 'failed', 'refunded'],
  fulfilled: [],
  expired: ['confirmed', 'processing', 'fulfilled', 'failed', 'refunded'],
  failed: ['pending', 'confirmed', 'processing', 'fulfilled', 'expired', 'refunded'],
  refunded: [],
}

/** Whether an action in this state has ended, unless the chain shows new evidence. */
export const isEnded = (state: State): boolean =>
  state === 'fulfilled' || state === 'failed' || state === 'refunded' || state === 'expired'

/** The inclusion of one transaction: not on chain, in a block, at finality depth, or reverted. */
export type TxInclusion = 'none' | 'included' | 'final' | 'reverted'

/**
 * The evidence that decides the next state. `delivery` is the state of a cross-chain swap according to the provider and the destination
 * chain.
 */
export type ActionEvidence = {
  inclusions: readonly TxInclusion[]
  pastDeadline: boolean
  /** The client sends no more of it, and none of its transactions is pending. */
  isCancelled: boolean
  delivery: 'not-needed' | 'no' | 'processing' | 'yes' | 'failed' | 'refunded'
}

/** The state that the evidence shows. */
function stateOf({ inclusions, pastDeadline, isCancelled, delivery }: ActionEvidence): State {
  if (inclusions.some((one) => one === 'reverted')) return 'failed'
  if (isCancelled && inclusions.includes('none')) return 'failed'
  if (pastDeadline && inclusions.at(-1) === 'none') return 'expired'
  if (inclusions.every((one) => one === 'none')) return 'pending'
  if (!inclusions.every((one) => one === 'final')) return 'confirmed'
  switch (delivery) {
    case 'not-needed':
    case 'yes':
      return 'fulfilled'
    case 'no':
      return 'confirmed'
    case 'processing':
      return 'processing'
    case 'failed':
      return 'failed'
    case 'refunded':
      return 'refunded'
  }
}

/**
 * The next state. A transaction that left the chain makes its action pending again before it can expire. An expired action stays expired
 * until the chain shows its last transaction, because an incomplete search proves nothing.
 */
export function nextState(state: State, evidence: ActionEvidence): State {
  const shown = stateOf(evidence)
  if (shown === 'expired' && (state === 'confirmed' || state === 'processing')) return 'pending'
  const isBack = shown !== 'pending' && (shown !== 'confirmed' || evidence.inclusions.at(-1) !== 'none')
  return state === 'expired' && !isBack ? 'expired' : shown
}
