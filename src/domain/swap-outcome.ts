import { AppError } from './errors.ts'
import type { Next } from './text/next-step.ts'

/**
 * What is said of a swap. `status` is a status of the specification, or `reported`: a service or provider reports an end
 * (`reported`) that nobody here has seen on a chain. `arrivedShort` is the cause of a `failed`, if a chain showed that less than the
 * agreed minimum arrived.
 */
export type StatedOutcome = {
  status: string
  reported?: string | undefined
  arrivedShort?: true | undefined
}

/** The statuses that end a swap. Each says that money moved, or that none will. */
const ends: readonly string[] = ['fulfilled', 'failed', 'refunded', 'expired', 'cancelled']

/** The final statuses of an action. */
export const actionEnds = ['SUCCESS', 'FAILED', 'REFUNDED'] as const

/** All statuses of an action of this program, in upper case. Every list of them (schema, options, completion, documents) is made from this one. */
export const actionStatuses = ['INITIAL', 'PENDING', ...actionEnds] as const

/** A status of an action of this program. */
export type ActionStatus = (typeof actionStatuses)[number]

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

/** Whether an action's status is final, in any case; INITIAL, PENDING and unknown statuses are not. */
export const isActionEnd = (status: string): boolean => actionEnds.some((end) => end === status.toUpperCase())

/** Whether a status is an end that was seen; `reported` is none. */
export const isSwapEnd = (status: string): boolean => ends.includes(status.toLowerCase())

/** Whether there is nothing more to wait for: an end that was seen, or one that cannot be checked here. */
export const isSwapOver = (status: string): boolean => isSwapEnd(status) || status === 'reported'

/** Whether a payment of a swap is known, on its chain or by the word of the provider. */
export const isSwapPaid = ({
  status,
  originTxHash,
}: StatedOutcome & { originTxHash: string | null }): boolean =>
  originTxHash !== null || !['pending', 'expired'].includes(status)

/** The word that a service or provider says: the reported one, else the status. */
export const wordOf = ({ status, reported }: StatedOutcome): string => reported ?? status

/**
 * States what a service says of a swap, which nothing here has checked: an end becomes `reported`, a word on the way stays.
 * Every caller that has only the word of a service uses this.
 */
export function statedByService<told extends StatedOutcome>({ arrivedShort: _, ...told }: told): told {
  return (isSwapEnd(told.status) ? { ...told, status: 'reported', reported: told.status } : told) as told
}

/** The same for an action of another machine: SUCCESS, FAILED and REFUNDED become `REPORTED`. */
export function actionStatedByService<told extends StatedOutcome>(told: told): told {
  const { status } = told
  return isActionEnd(status) ? { ...told, status: 'REPORTED', reported: status } : told
}

/**
 * States a swap of this machine: its own evidence (`seen`) decides each end; the word of the service (`told`) only refines
 * what happens before one. An end that only the service says is in `reported`, and the swap goes on.
 */
export function statedBySeen({
  seen,
  told,
}: {
  seen: string
  told: StatedOutcome | undefined
}): StatedOutcome {
  if (isSwapEnd(seen) || told === undefined) return { status: seen }
  const word = wordOf(told)
  if (isSwapEnd(word)) return { status: seen, reported: word }
  return { status: ['pending', 'confirmed', 'processing'].includes(word) ? word : seen }
}

/**
 * The error that a command ends with for a swap that is not followed any more; `undefined` for `fulfilled`. An expired quote
 * is not an outcome of a payment, so its caller says it. Every caller must state `arrivedShort`, so that none drops the cause.
 */
export function swapOutcomeError(
  swap: StatedOutcome & { arrivedShort: true | undefined },
  { details, hints }: { details: Record<string, unknown>; hints: { over: Next; open: Next } },
): AppError | undefined {
  const over = { details, next: hints.over }
  if (swap.status === 'fulfilled') return undefined
  if (swap.status === 'refunded') return new AppError('REFUNDED', 'The swap was refunded', over)
  if (swap.status === 'cancelled')
    return new AppError('ORDER_UNFILLED', 'The order was cancelled before it was filled', over)
  if (swap.status === 'failed')
    return swap.arrivedShort
      ? new AppError('ARRIVED_SHORT', 'The swap delivered less than the agreed minimum', over)
      : new AppError('ACTION_FAILED', 'The swap failed', over)
  if (swap.status === 'reported')
    return new AppError(
      'PENDING',
      `The swap is reported as ${swap.reported ?? 'ended'}, but this could not be checked on its chains`,
      { details, next: hints.open },
    )
  return new AppError('PENDING', 'The swap is not finished', { details, next: hints.open })
}
