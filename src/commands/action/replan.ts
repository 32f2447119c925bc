import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { confirmPlan } from '../../cli/signing-flow/confirm-plan.ts'
import { emitDone, executeAndReport } from '../../cli/signing-flow/execute-and-report.ts'
import { requireOperation } from '../../cli/signing-flow/find-operation.ts'
import { planPrices } from '../../cli/signing-flow/plan-prices.ts'
import { withMinOutHint } from '../../cli/signing-flow/quotes/request-quote.ts'
import { settleIfPending } from '../../cli/signing-flow/record-chain-results.ts'
import { confirmOlderJournal } from '../../cli/signing-flow/refuse-duplicates.ts'
import { replanLeg } from '../../cli/signing-flow/replan-leg.ts'
import { refuseFailed, reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { maxFeeOf, ownerOf, resumeOperation } from '../../cli/signing-flow/resume-operation.ts'
import { planView } from '../../cli/views/plan-view.ts'
import { parseAmount } from '../../domain/amount.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { parsePriceImpact } from '../../domain/price-impact-share.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { planJson } from '../../planning/plan-json.ts'
import { findReplannableLeg, promisedMinimum, replaceLegPlan } from '../../planning/replan.ts'
import { rediscoveredSteps, reopenContradicted } from '../../transactions/confirmation/reorganisations.ts'
import { supersedingHash } from '../../transactions/nonces/nonce-conflict.ts'
import { unnamedTransaction } from '../../transactions/nonces/nonce-use.ts'
import { acquirePlanningLock } from '../../transactions/nonces/wallet-lock.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { activeSteps, hasLostNonce } from '../../transactions/steps/active-steps.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'

type Options = OptionsOf<'action replan'>

/** `action replan`: plans the unsigned steps again, then signs and sends them. */
export const addReplan = (command: Command, program: CommandContext): Command =>
  command
    .command('replan')
    .description(
      'Plan the unsigned steps of an action again, after its quote expired or another transaction used its nonce. Then sign and send them.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice action replan 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, replan))

async function replan(cli: Cli, id: string, options: Options): Promise<void> {
  const context = await cli.backend.context()
  const found = requireOperation(context, id)
  cli.program.noteOperation(found.id)
  // A dry run records nothing.
  const wrong = options.dryRun ? undefined : await reopenContradicted(context, found.id)
  // A transaction that is pending in the journal may be final.
  const operation = await settleIfPending(
    cli,
    context,
    requireOperation(context, found.id),
    options.dryRun === true,
  )
  refuseFailed(operation)
  if (options.dryRun && (await rediscoveredSteps(context, found.id)).length > 0)
    cli.notice(
      advice`The transaction is on chain again, so its nonce is not lost. To resume: ${sluice('action resume', operation.id)}`,
    )
  if (isFinished(operation) || (options.dryRun && isSettled(operation)))
    return emitDone(cli, context, reportFor(context, operation), true)
  // The transaction that was found is the whole action; nothing is left to plan.
  if (isSettled(operation) || (wrong === 'found' && !operation.steps.some(isUnsigned)))
    return resumeOperation(cli, operation.id, options, undefined)
  const identity = await ownerOf(cli, operation, options)
  if (!options.dryRun) await confirmOlderJournal(cli, context, operation, options)
  const least = leastOf(context, operation, options.acceptMinOut)
  const fee = maxFeeOf(options)
  const lifted = {
    ...(fee !== undefined && { maxFeePerGas: fee }),
    ...(options.maxPriceImpact !== undefined && { maxPriceImpact: parsePriceImpact(options.maxPriceImpact) }),
  }
  const again = await replanLeg(cli, context, operation, least, lifted).catch((error: unknown) => {
    throw withMinOutHint(error, options)
  })
  if (!again) {
    outcomeOf(operation)
    return emitDone(cli, context, reportFor(context, operation), true)
  }
  const plan = planJson(
    again.checked,
    context,
    identity,
    cli.line,
    await planPrices(cli.backend, context, again.checked.proposal),
  )
  for (const step of activeSteps(operation).filter(({ state }) => state === 'SUPERSEDED'))
    cli.notice(
      `Nonce ${step.nonce} of step ${step.index + 1} was used by ${supersedingHash(context.journal.events(operation.id), step) ?? unnamedTransaction}. That transaction may have done the same: check what the wallet sent before you confirm.`,
    )
  const title = `New plan for the unsigned steps of ${operation.id}`
  if (options.dryRun)
    return cli.emit(plan, (value, to) => planView(value, `${title} (dry run, nothing is signed)`, to))
  await confirmPlan(cli, () => plan, title)
  const account = await identity.unlock()
  const signer = { ...identity, unlock: async () => account }
  const lock = await acquirePlanningLock(context, operation.wallet, {
    waitMs: Math.min(60_000, cli.globals.timeoutMs ?? 60_000),
    signal: cli.program.interrupt.signal,
  })
  try {
    const now = requireOperation(context, operation.id)
    if (now.updated !== operation.updated)
      throw new AppError('WALLET_BUSY', `Another process resumed ${operation.id} in the meantime`, {
        next: sluice('action show', operation.id),
      })
    const planned = replaceLegPlan(context, now, again.open, again.checked, 'by the person')
    await executeAndReport(cli, context, planned, signer, { ...options, lock }, replanLeg)
  } finally {
    lock.release()
  }
}

/** Whether no nonce is lost although the operation waits for a person: then it only needs to be resumed. */
const isSettled = (operation: JournalOperation): boolean =>
  operation.state === 'ATTENTION' && !hasLostNonce(operation)

/** Parses --accept-min-out for the exchange of the open leg. */
function leastOf(
  context: ExecutionContext,
  operation: JournalOperation,
  text: string | undefined,
): bigint | null {
  if (text === undefined) return null
  const open = findReplannableLeg(context, operation)
  const promised = open && promisedMinimum(open.intent)
  if (!promised)
    throw new AppError('USAGE', '--accept-min-out applies only to swaps; this action is not a swap', {
      next: sluice('action replan', operation.id),
    })
  return parseAmount(text, promised.token, '--accept-min-out')
}
