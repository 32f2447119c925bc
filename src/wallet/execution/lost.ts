import type { Hex } from '../../domain/address.ts'
import type { JournalEvent, Step } from '../../store/operation.ts'
import { outcomeOf } from './outcome.ts'
import { current, type Run } from './run.ts'
import { standing } from './standing.ts'

/**
 * Refuses to go on where a stranger's transaction has the nonce of a step, and no new plan was made since: what is left of
 * the operation was planned for a step that never happened. It waits for a person again, whatever opened it meanwhile.
 */
export function refuseLost(run: Run): void {
  const events = run.journal.events(run.operationId)
  const planned = events.findLast(({ why }) => why.startsWith('planned'))?.seq ?? 0
  const counts = new Set(
    standing(current(run)).flatMap(({ state, index }) => (state === 'SUPERSEDED' ? [index] : [])),
  )
  const lost = events.findLast(
    ({ seq, becomes, index }) =>
      becomes === 'SUPERSEDED' && index !== null && seq > planned && counts.has(index),
  )
  if (!lost) return
  run.journal.settle(run.operationId, 'ATTENTION', `its nonce was used by ${lost.why}`, 23)
  outcomeOf(current(run))
}

/** The transaction that a step lost its nonce to, by the trail of its operation; `undefined` where none was named. */
export function lostTo(
  events: readonly JournalEvent[],
  { index, state }: Pick<Step, 'index' | 'state'>,
): Hex | undefined {
  const lost = events.findLast((event) => event.index === index && event.becomes === 'SUPERSEDED')
  return state === 'SUPERSEDED' && lost && /^0x[0-9a-f]{64}$/i.test(lost.why) ? (lost.why as Hex) : undefined
}
