import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { confirm } from '../../cli/prompts.ts'
import { requireOperation } from '../../cli/signing-flow/find-operation.ts'
import { refuseFailed } from '../../cli/signing-flow/report-in-errors.ts'
import { type ResumeOptions, resumeOperation } from '../../cli/signing-flow/resume-operation.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { JournalOperation } from '../../planning/execution-context-types.ts'
import { isCancelling } from '../../transactions/attempts/fee-bump.ts'
import { reopenContradicted } from '../../transactions/confirmation/reorganisations.ts'
import { reopenAbandoned } from '../../transactions/confirmation/reorganised-abandoned-operations.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { isAllFinal } from '../../transactions/steps/active-steps.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'

/** `action speed-up` and `action cancel`: replace the pending transaction under the same nonce. */
export function addReplacements(command: Command, program: CommandContext): void {
  const add = (name: string, description: string, kind: 'bump' | 'cancel') =>
    command
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  $ sluice action ${name} 0f8fad5b-d9cb-469f-a165-70867728950e`)
      .action(
        action(program, (cli: Cli, id: string, options: ResumeOptions) =>
          replaceWaiting(cli, id, options, kind),
        ),
      )
  add(
    'speed-up',
    'Resend the pending transaction with a higher fee and the same nonce, so at most one is mined.',
    'bump',
  )
  add('cancel', 'Replace the pending transaction with a no-op; whichever is mined first wins.', 'cancel')
}

async function replaceWaiting(
  cli: Cli,
  id: string,
  options: ResumeOptions,
  kind: 'bump' | 'cancel',
): Promise<void> {
  const context = await cli.backend.context()
  const found = requireOperation(context, id)
  cli.program.noteOperation(found.id)
  await reopenContradicted(context, found.id)
  const isOpenAgain = kind === 'cancel' && (await reopenAbandoned(context, found.id, kind))
  const operation = requireOperation(context, found.id)
  if (!isOpenAgain) refuseFailed(operation)
  refuseIdle(operation, kind)
  // Exit 0 says that the action succeeded; a cancellation that took place exits with 24.
  if (kind === 'cancel' && operation.state === 'DONE')
    cli.notice(`${operation.id} has succeeded, so nothing was cancelled`)
  // A finished action is only reported.
  if (kind === 'cancel' && (isOpenAgain || !isFinished(operation)))
    await confirm(
      cli.io,
      cli.globals,
      `Cancel the pending transactions of ${operation.id}? This costs the fee of ${costOf(operation)}`,
      sluice('action cancel', operation.id, { '--yes': true }),
    )
  if (kind === 'bump' && isBeingCancelled(operation))
    await confirm(
      cli.io,
      cli.globals,
      `${operation.id} is being cancelled. Undo the cancellation and carry it out after all?`,
      advice`${sluice('action cancel', operation.id, { '--yes': true })}, or to undo the cancellation: ${sluice('action speed-up', operation.id, { '--yes': true })}`,
    )
  await resumeOperation(cli, operation.id, options, kind)
}

/** Whether a pending transaction is already a cancellation: a higher fee for the action would outbid it. */
const isBeingCancelled = ({ steps }: JournalOperation): boolean =>
  steps.some((step) => isInFlight(step) && step.state !== 'INCLUDED' && isCancelling(step.attempts))

/** Each pending transaction is cancelled by a no-op transaction. */
const costOf = ({ steps }: JournalOperation): string => {
  const waiting = steps.filter(isInFlight).length
  return waiting > 1 ? `${waiting} no-op transactions` : 'a no-op transaction'
}

/** Refuses an action without a pending transaction. */
function refuseIdle(operation: JournalOperation, kind: 'bump' | 'cancel'): void {
  const { id, state, steps } = operation
  if (steps.some(isInFlight)) return
  if (state === 'OPEN')
    throw new AppError('USAGE', `${id} has no signed transaction, so none is pending`, {
      next: kind === 'bump' ? sluice('action resume', id) : sluice('action abandon', id),
    })
  if ((state === 'EXECUTING' || state === 'PARTIAL') && isAllFinal(operation))
    throw new AppError(
      'PENDING',
      `All transactions of ${id} are final, but the funds have not arrived yet: there is none to replace`,
      { details: { operation: id }, next: sluice('action resume', id) },
    )
  if (state === 'EXECUTING' || state === 'PARTIAL')
    throw new AppError(
      'PARTIAL',
      `The signed transactions of ${id} are final, and the remaining steps are unsigned, so none is pending`,
      {
        details: { operation: id },
        next: advice`${sluice('action resume', id)}, or close it: ${sluice('action abandon', id)}`,
      },
    )
  // A lost nonce has its own outcome.
  if (state === 'ATTENTION') outcomeOf(operation)
}
