import type { ActionStatus } from './swap-outcome.ts'

/** The states of every tracked action and every swap. */
export type State = 'pending' | 'confirmed' | 'processing' | 'fulfilled' | 'expired' | 'failed' | 'refunded'

/** The status in `GET /actions/{id}` for a state. `expired` with nothing sent is INITIAL, because nothing was ever on chain. */
export const actionStatus: Readonly<Record<State, ActionStatus>> = {
  pending: 'INITIAL',
  expired: 'INITIAL',
  confirmed: 'PENDING',
  processing: 'PENDING',
  fulfilled: 'SUCCESS',
  failed: 'FAILED',
  refunded: 'REFUNDED',
}

/** The state of an action as it is shown: one that expired after a part of it succeeded has failed. */
export const shownState = (state: string, hasSucceededPart: boolean): State =>
  state === 'expired' && hasSucceededPart ? 'failed' : (state as State)

/**
 * The status of a swap for the state of its action. A mined approval changes the state of the action, but the swap is `pending` until its own
 * transaction is in a block.
 */
export const swapStatusOf = (status: string, originBlock: number | null): string =>
  status === 'confirmed' && originBlock === null ? 'pending' : status
