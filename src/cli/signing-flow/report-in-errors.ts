import type { RemainingAllowance } from '../../diagnosis/facts/operation-facts.ts'
import { operationReport, type Report } from '../../diagnosis/report-from-journal.ts'
import { type Advice, advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'
/** Describes the allowances that remain after an operation; `null` if they are unknown. */
export const allowanceLines = (left: readonly RemainingAllowance[] | null, id: string): Advice[] =>
  left?.map(
    ({ network, spender, amount }) =>
      `remaining allowance for ${spender}: ${amount.formatted} ${sanitizeText(amount.symbol)} on ${network}; the next action through it uses that first`,
  ) ?? [
    advice`Remaining allowances are unknown because a chain could not be read. To revoke them: ${sluice('action revoke', id)}`,
  ]

/** The report of an operation, with the hashes of its pending transactions. */
export const reportFor = ({ journal, catalog }: ExecutionContext, operation: JournalOperation): Report =>
  operationReport(
    operation,
    catalog.networks,
    ({ attempts }) => attempts.at(-1)?.hash ?? null,
    journal.events(operation.id),
  )

/** Throws the outcome of an operation that ended without success, before any key is needed. */
export function refuseFailed(operation: JournalOperation): void {
  if (isFinished(operation)) outcomeOf(operation)
}
