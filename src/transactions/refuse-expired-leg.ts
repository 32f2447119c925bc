import type { Head } from '../chain/head.ts'
import { AppError } from '../domain/errors.ts'
import { momentText } from '../domain/text/time-spans.ts'
import type { Leg } from '../store/journal/operation-types.ts'
import type { Run } from './run-state.ts'

/** Refuses an action whose deadline has passed on its chain: it can only revert, so it is neither signed nor sent. */
export function refuseExpired(
  run: Pick<Run, 'deadlineOf'>,
  leg: Leg,
  { timestamp }: Pick<Head, 'timestamp'>,
): void {
  const deadline = run.deadlineOf?.(leg)
  if (deadline === undefined || timestamp <= deadline) return
  throw new AppError('QUOTE_EXPIRED', `The quote expired at ${momentText(deadline * 1000)}`)
}
