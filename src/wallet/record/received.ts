import type { Operation } from '../../store/operation.ts'
import { whatCame } from '../execution/came.ts'
import type { Ground } from '../ground.ts'
import type { Report } from './report.ts'

/** A report of what is done that also says what came out, where the journal does not hold that: by the receipt, so always the same. */
export async function withReceived(ground: Ground, operation: Operation, report: Report): Promise<Report> {
  if (operation.state !== 'DONE' || report.amounts.out !== null) return report
  const out = await whatCame(ground, operation)
  return out ? { ...report, amounts: { in: report.amounts.in, out } } : report
}
