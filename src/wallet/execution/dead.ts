import { AppError } from '../../domain/errors.ts'
import type { Leg } from '../../store/operation.ts'
import type { Head } from '../chain/fees.ts'
import type { Run } from './run.ts'

/** An action whose deadline has passed on its chain can only fail: it is not signed any more, and not sent. */
export function refuseDead(
  run: Pick<Run, 'deadlineOf'>,
  leg: Leg,
  { timestamp }: Pick<Head, 'timestamp'>,
): void {
  const deadline = run.deadlineOf?.(leg)
  if (deadline === undefined || timestamp <= deadline) return
  throw new AppError('QUOTE_EXPIRED', `The quote expired at ${new Date(deadline * 1000).toISOString()}`)
}
