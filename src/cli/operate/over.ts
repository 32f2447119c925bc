import type { Planned } from '../../wallet/execution/carry-out.ts'
import { outcomeOf } from '../../wallet/execution/outcome.ts'
import { isOver } from '../../wallet/execution/run.ts'
import type { Ground } from '../../wallet/ground.ts'
import { withReport } from './finish.ts'

/** What is over and did not come to where it was to is told as it ended, before anybody is asked for a key. */
export function refuseOver(ground: Ground, operation: Planned): void {
  if (!isOver(operation)) return
  try {
    outcomeOf(operation)
  } catch (error) {
    throw withReport(error, ground, operation)
  }
}
