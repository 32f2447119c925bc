import { remainingAllowances } from '../../diagnosis/approvals.ts'
import type { RemainingAllowance } from '../../diagnosis/facts/facts.ts'
import { finalityText, operationReport, type Report, withReceivedAmount } from '../../diagnosis/report.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { replaceLegPlan } from '../../planning/replan.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { type PlannedOperation, runOperation } from '../../transactions/operations/start.ts'
import type { PlanningLock } from '../../transactions/operations/wallet-lock.ts'
import { reopenReorganised } from '../../transactions/reorganisations.ts'
import type { Progress } from '../../transactions/run.ts'
import type { Cli } from '../cli.ts'
import { type ExecutionOptions, timeLeft, wayOf } from '../options/execution-options.ts'
import { progressLine, reportView } from '../views/report-view.ts'
import { planAgain } from './current-plan.ts'
import { deliveryNamed } from './swap-status.ts'

/** How an operation is gone on with: its options, what it is replaced by when it waits, what a unit of gas may cost beyond its plan. */
export type Going = Partial<ExecutionOptions> & {
  replacement?: 'bump' | 'cancel'
  onlyWaiting?: boolean
  turn?: PlanningLock | undefined
  maxFeePerGas?: bigint
}

/** Goes on with an operation of the journal to its end, and reports it. A finished one is only reported again, unless its block went away. */
export async function finish(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  who: SignerIdentity,
  going: Going,
): Promise<void> {
  const isDone = operation.state === 'DONE' && !(await reopenReorganised(ground, operation.id))
  const followed = isDone
    ? { done: operation, moved: false }
    : await followWithQuotes(cli, ground, operation, who, going)
  const report = await withReceivedAmount(ground, followed.done, reportFor(ground, followed.done))
  const left = followed.moved ? await remainingAllowances(ground, followed.done) : []
  cli.emit({ ...report, replayed: !followed.moved }, reportView)
  for (const line of leftLines(left, operation.id)) cli.notice(line)
}

/**
 * Follows an operation; where its quote expired after a part was done, once with a new quote, if that is for the same and
 * brings no less than what was accepted. Nothing of the part that is planned anew was signed.
 */
async function followWithQuotes(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  who: SignerIdentity,
  going: Going,
) {
  try {
    return await follow(cli, ground, operation, who, going)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PARTIAL' || error.details?.cause !== 'QUOTE_EXPIRED')
      throw error
    const now = ground.journal.find(operation.id)!
    const again = await planAgain(cli, ground, now, null).catch((cause: unknown) => {
      // What hinders a new quote is said where it is about money; anything else leaves what was said before.
      throw cause instanceof AppError && cause.code === 'PARTIAL' ? withReport(cause, ground, now) : error
    })
    if (!again) throw error
    cli.notice(`The quote expired. A new quote with no lower output is used for the unsigned steps.`)
    // Nobody looks at this plan, so what the first one said of gas still holds.
    const unseen = { ...again.checked, bounds: {} }
    const planned = replaceLegPlan(ground, now, again.open, unseen, 'the quote expired')
    const { done } = await follow(cli, ground, planned, who, going)
    return { done, moved: true }
  }
}

/** What contracts may still take of what an operation allowed them, in words; `null` where that is not known. */
export const leftLines = (left: readonly RemainingAllowance[] | null, id: string): string[] =>
  left?.map(
    ({ network, spender, amount }) =>
      `remaining allowance for ${spender}: ${amount.formatted} ${plain(amount.symbol)} on ${network}; the next action through it uses that first`,
  ) ?? [
    `Remaining allowances are unknown because a chain does not answer. To revoke them: sluice action revoke ${id}`,
  ]

/** The report of an operation, with the hashes of what is signed and not in a block yet. */
export const reportFor = ({ journal, catalog }: ExecutionContext, operation: PlannedOperation): Report =>
  operationReport(
    operation,
    catalog.networks,
    (step) => journal.attempts(operation.id, step.index).at(-1)?.hash ?? null,
    finalityText(journal.events(operation.id)),
  )

/** Goes on with an operation without a word at its end. */
export async function follow(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  who: SignerIdentity,
  { turn, replacement, onlyWaiting, ...options }: Going,
): Promise<{ done: PlannedOperation; moved: boolean }> {
  let moved = false
  cli.world.concerns(operation.id)
  const teller = await cli.teller()
  const account = await who.unlock()
  const tell = (progress: Progress) => {
    moved = true
    // What a bridge takes its time for is not the wallet's business.
    if (progress.kind === 'waiting') turn?.release()
    const { line, moving } = progressLine(progress, operation, ground.catalog.networks, cli.io.err)
    if (line !== null) teller.say(line)
    if (moving !== null) teller.doing(moving)
    if (progress.kind === 'sent' && options.wait !== false)
      // It finds the transaction by itself, too: being told only makes that faster. Signing does not wait for it.
      void cli
        .service()
        .then((service) => service.ingest({ actionId: operation.id, event: 'SIGNED', txHash: progress.hash }))
        .catch(() => undefined)
  }
  if (operation.state === 'OPEN') cli.notice(cli.io.err.paint.dim(`action ${operation.id}`))
  try {
    const done = await cli.world.interrupt.critical(() =>
      runOperation(ground, operation, {
        ...wayOf(cli, ground, operation, options, options.maxFeePerGas),
        ...(replacement && { replacement }),
        ...(onlyWaiting && { onlySigned: onlyWaiting }),
        account,
        timeoutMs: timeLeft(cli),
        signal: cli.world.interrupt.signal,
        onProgress: tell,
        // The chain is looked at meanwhile, however long a limit makes the service wait.
        delivered: (quotes) =>
          deliveryNamed(
            cli,
            quotes,
            AbortSignal.any([cli.world.interrupt.signal, AbortSignal.timeout(toldMs)]),
          ),
      }),
    )
    return { done, moved }
  } catch (error) {
    throw withReport(error, ground, operation)
  } finally {
    teller.done()
  }
}

/** How long the service is asked at most which transaction a bridge delivered in, in ms. */
const toldMs = 15_000

/** After a signature, the error carries the whole report, so that a script has what a success would have given. */
export function withReport(error: unknown, ground: ExecutionContext, { id }: PlannedOperation): unknown {
  const now = ground.journal.find(id)
  if (!(error instanceof AppError) || !now) return error
  const details = { id, ...error.details, action: reportFor(ground, now) }
  return new AppError(error.code, error.message, {
    details,
    cause: error.cause,
    ...(error.hint !== undefined && { hint: error.hint }),
  })
}
