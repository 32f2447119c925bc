/** The words of the machine behind every tracked operation and every swap (safety: 3.5). */
export type State = 'pending' | 'confirmed' | 'processing' | 'fulfilled' | 'expired' | 'failed' | 'refunded'

/** Every change that may happen; any other is a bug. `expired` and `failed` can come back: the chain wins over the clock, and what reverted may be sent again. */
export const transitions: Readonly<Record<State, readonly State[]>> = {
  pending: ['confirmed', 'processing', 'fulfilled', 'expired', 'failed', 'refunded'],
  confirmed: ['pending', 'processing', 'fulfilled', 'failed', 'refunded'],
  processing: ['pending', 'confirmed', 'fulfilled', 'failed', 'refunded'],
  fulfilled: [],
  expired: ['confirmed', 'processing', 'fulfilled', 'failed', 'refunded'],
  failed: ['pending', 'confirmed', 'processing', 'fulfilled', 'expired', 'refunded'],
  refunded: [],
}

/** Whether nothing but new evidence from the chain can change it. */
export const isEnded = (state: State): boolean =>
  state === 'fulfilled' || state === 'failed' || state === 'refunded' || state === 'expired'

/** What is known about one transaction of an operation: not on chain, in a block, deep enough, or reverted. */
export type TxInclusion = 'none' | 'included' | 'final' | 'reverted'

/** What decides the next state. `delivered` is what the provider and the destination chain say of a cross-chain swap. */
export type Evidence = {
  inclusions: readonly TxInclusion[]
  pastDeadline: boolean
  delivery: 'not-needed' | 'no' | 'processing' | 'yes' | 'failed' | 'refunded'
}

/** The state that the evidence shows. */
function stateOf({ inclusions, pastDeadline, delivery }: Evidence): State {
  if (inclusions.some((one) => one === 'reverted')) return 'failed'
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
 * The state that follows from a state and the evidence. What was on chain and is not any more is pending again before it
 * can expire, and what has expired stays so until the chain shows its last transaction: that not all is read takes nothing back.
 */
export function nextState(state: State, evidence: Evidence): State {
  const shown = stateOf(evidence)
  if (shown === 'expired' && (state === 'confirmed' || state === 'processing')) return 'pending'
  const isBack = shown !== 'pending' && (shown !== 'confirmed' || evidence.inclusions.at(-1) !== 'none')
  return state === 'expired' && !isBack ? 'expired' : shown
}

/** The status of `GET /actions/{id}` for a state. `expired` with nothing sent stays INITIAL: nothing was ever on chain. */
export const actionStatus: Readonly<Record<State, string>> = {
  pending: 'INITIAL',
  expired: 'INITIAL',
  confirmed: 'PENDING',
  processing: 'PENDING',
  fulfilled: 'SUCCESS',
  failed: 'FAILED',
  refunded: 'REFUNDED',
}
