import type { Head } from '../chain/head.ts'
import { quoteExpiredError } from '../domain/used-order-and-expired-quote-errors.ts'
import type { Leg } from '../store/journal/operation-types.ts'
import type { Run } from './run-state.ts'

/** Refuses an action whose deadline has passed on its chain: it can only revert, so it is neither signed nor sent. */
export function refuseExpiredLeg(
  run: Pick<Run, 'deadlineOf'>,
  leg: Leg,
  { timestamp }: Pick<Head, 'timestamp'>,
): void {
  const deadline = run.deadlineOf?.(leg)
  if (deadline === undefined || timestamp <= deadline) return
  throw quoteExpiredError(deadline * 1000)
}
