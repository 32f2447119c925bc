import type { Cli } from '../../cli/command-run-types.ts'
import { verdictFor } from '../../cli/diagnose-action.ts'
import { withPricedGas } from '../../cli/gas-in-usd.ts'
import { confirm } from '../../cli/prompts.ts'
import { requireOperation } from '../../cli/signing-flow/find-operation.ts'
import { allowanceLines, reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { tellIfEnded } from '../../cli/signing-flow/tell-service.ts'
import { operationView } from '../../cli/views/operation-view.ts'
import { remainingAllowances } from '../../diagnosis/remaining-allowances.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { reopenContradicted } from '../../transactions/confirmation/reorganisations.ts'
import { acquirePlanningLock } from '../../transactions/nonces/wallet-lock.ts'
import { abandonWhenIdle } from '../../transactions/operations/abandon-operation.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'

/** `action abandon` */
export async function abandonAction(cli: Cli, id: string): Promise<void> {
  const context = await cli.backend.context()
  const found = requireOperation(context, id)
  cli.program.noteOperation(found.id)
  await reopenContradicted(context, found.id)
  const operation = requireOperation(context, found.id)
  if (!isFinished(operation))
    await confirm(
      cli.io,
      cli.globals,
      `Close ${operation.id} and drop its unsigned steps?`,
      sluice('action abandon', operation.id, { '--yes': true }),
    )
  const closed = isFinished(operation) ? operation : await closeUnsigned(cli, context, operation)
  await tellIfEnded(cli, context, closed.id)
  refuseEnded(closed)
  const left = await remainingAllowances(context, closed)
  const funds = (await verdictFor(cli, context, closed))?.funds ?? null
  const tail =
    closed.state === 'DONE'
      ? ['The action is finished; there was nothing to drop.']
      : [
          // The text of the funds ends with the allowances that are known.
          ...(left === null || funds === null ? allowanceLines(left, closed.id) : []),
          ...(left !== null && left.length > 0
            ? [advice`To revoke what is left of its allowances: ${sluice('action revoke', closed.id)}`]
            : []),
        ]
  const report = await withPricedGas(cli, context, reportFor(context, closed))
  cli.emit({ ...report, allowancesLeft: left, funds }, (value, to, line) =>
    [
      operationView(value, to, line),
      ...(funds === null ? [] : [`Funds: ${sanitizeText(funds)}`]),
      ...tail.map(line),
    ].join('\n'),
  )
}

/** Reports an operation that ended for another reason than being abandoned by its own outcome. */
function refuseEnded(operation: JournalOperation): void {
  const { state, exit } = operation
  if (state !== 'FAILED' && !(state === 'CANCELLED' && exit === 24)) return
  try {
    outcomeOf(operation)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, `The action is finished, and there is nothing to drop: ${error.message}`, {
      cause: error,
      details: error.details,
      next: sluice('action show', operation.id),
    })
  }
}

/** Closes an operation and drops its unsigned steps, under the lock of its wallet. */
async function closeUnsigned(
  cli: Cli,
  context: ExecutionContext,
  { id, wallet, legs }: JournalOperation,
): Promise<JournalOperation> {
  const lock = await acquirePlanningLock(context, wallet, {
    waitMs: 10_000,
    signal: cli.program.interrupt.signal,
  })
  try {
    return await abandonWhenIdle(context, { id, wallet, legs })
  } finally {
    lock.release()
  }
}
