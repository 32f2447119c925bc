import { remainingAllowances } from '../../diagnosis/remaining-allowances.ts'
import { type Report, withReceivedAmount } from '../../diagnosis/report-from-journal.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { CheckedPlan } from '../../planning/check-proposal.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { ReplannableLeg } from '../../planning/proposal.ts'
import { replaceLegPlan } from '../../planning/replan.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { reopenReorganised } from '../../transactions/confirmation/reorganisations.ts'
import { type RunOptions, runOperation } from '../../transactions/operations/guarded-execution.ts'
import type { Progress } from '../../transactions/run.ts'
import type { Cli } from '../command-run-types.ts'
import { withPricedGas } from '../gas-in-usd.ts'
import { parseDepth } from '../options/option-values.ts'
import { halfAnHour, noncesOf } from '../options/sending-and-waiting-options.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { operationView } from '../views/operation-view.ts'
import { progressLine } from '../views/progress-line.ts'
import { reportedDelivery } from './quotes/swap-status-from-service.ts'
import { allowanceLines, reportFor } from './report-in-errors.ts'
import type { ResumeChoices } from './resume-operation.ts'
import { tellIfEnded } from './tell-service.ts'

/** Plans the unsigned leg of an operation again; `undefined` without one. `least` is a lower output that the person accepts. */
type Replan = (
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  least: bigint | null,
) => Promise<{ open: ReplannableLeg; checked: CheckedPlan } | undefined>

/**
 * Executes an operation of the journal to its end and reports it. A finished one is only reported,
 * unless a reorganisation removed its block.
 */
export async function executeAndReport(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  identity: SignerIdentity,
  going: ResumeChoices,
  replan: Replan,
): Promise<void> {
  const isDone = operation.state === 'DONE' && !(await reopenReorganised(context, operation.id))
  const followed = isDone
    ? { done: operation, moved: false, left: undefined }
    : await executeWithQuotes(cli, context, operation, identity, going, replan)
  const report = await withReceivedAmount(context, followed.done, reportFor(context, followed.done))
  const left = followed.moved ? await (followed.left ?? remainingAllowances(context, followed.done)) : []
  await emitDone(cli, context, report, !followed.moved)
  for (const line of allowanceLines(left, operation.id)) cli.notice(line)
}

/** Ends a command with the report of an operation that is over. The document is the same for ever; only what a person reads has the price of today. */
export async function emitDone(
  cli: Cli,
  context: ExecutionContext,
  report: Report,
  replayed: boolean,
): Promise<void> {
  const { transactions } = cli.globals.json ? report : await withPricedGas(cli, context, report)
  cli.emit({ ...report, replayed }, (one, to, line) => operationView({ ...one, transactions }, to, line))
}

/**
 * Executes an operation. If its quote expired after a part was done, the unsigned part is planned again
 * once, with a quote of the same tokens and no lower minimum.
 */
async function executeWithQuotes(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  identity: SignerIdentity,
  going: ResumeChoices,
  replan: Replan,
) {
  try {
    return await execute(cli, context, operation, identity, going)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PARTIAL' || error.details?.cause !== 'QUOTE_EXPIRED')
      throw error
    const now = context.journal.find(operation.id)!
    const again = await replan(cli, context, now, null).catch((cause: unknown) => {
      // A failure about money replaces the original error, and a refusal is told beside it; any other does not.
      if (!(cause instanceof AppError)) throw error
      if (cause.code === 'PARTIAL') throw cause
      throw cause.code.startsWith('POLICY_') ? refusedAgain(error, cause, now.id) : error
    })
    if (!again) throw error
    cli.notice(`The quote expired. A new quote with no lower output is used for the unsigned steps.`)
    // No person reviews this plan, so the gas limit of the first one still applies.
    const unseen = { ...again.checked, bounds: {} }
    const planned = replaceLegPlan(context, now, again.open, unseen, 'the quote expired')
    const { done, left } = await execute(cli, context, planned, identity, going)
    return { done, moved: true, left }
  }
}

/** The error of an operation whose rest has a new quote that is refused: a person may accept that. */
const refusedAgain = (expired: AppError, { code, message, hint }: AppError, id: string): AppError =>
  new AppError(
    'PARTIAL',
    `${expired.message}. A new quote is refused: ${message}${hint ? `. ${hint}` : ''}`,
    {
      cause: expired,
      details: { ...expired.details, refused: code },
      next: sluice('action replan', id),
    },
  )

/**
 * Executes an operation to its end, without a report; `moved` is false if nothing happened in this run. `left` are the allowances that
 * remain of it, where they were read beside its last look.
 */
async function execute(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  identity: SignerIdentity,
  { lock, replacement, onlyWaiting, firstLeg, ...options }: ResumeChoices,
): Promise<{
  done: JournalOperation
  moved: boolean
  left?: ReturnType<typeof remainingAllowances> | undefined
}> {
  let moved = false
  let left: ReturnType<typeof remainingAllowances> | undefined
  cli.program.noteOperation(operation.id)
  const output = cli.progress
  const account = await identity.unlock()
  const onProgress = (progress: Progress) => {
    moved = true
    // Waiting for a bridge does not need the wallet.
    if (progress.kind === 'waiting') lock?.release()
    const { line, moving } = progressLine(progress, operation, context.catalog.networks, cli.io.err)
    if (line !== null) output.say(line)
    if (moving !== null) output.doing(moving)
    if (progress.kind === 'sent' && options.wait !== false && cli.backend.kind === 'remote')
      // The service finds the transaction by itself; this report only makes it faster, and signing does not
      // wait for it. One in this process would read the same nodes meanwhile.
      void cli
        .service()
        .then((service) => service.ingest({ actionId: operation.id, event: 'SIGNED', txHash: progress.hash }))
        .catch(() => undefined)
  }
  if (operation.state === 'OPEN') cli.notice(cli.io.err.paint.dim(`action ${operation.id}`))
  try {
    const done = await cli.program.interrupt.critical(() =>
      runOperation(context, operation, {
        ...runOptions(cli, context, operation, options, options.maxFeePerGas),
        ...(replacement && { replacement }),
        ...(onlyWaiting && { onlySigned: onlyWaiting }),
        ...(firstLeg && { firstLeg }),
        account,
        timeoutMs: timeLeft(cli),
        signal: cli.program.interrupt.signal,
        onProgress,
        onLastMined: () => {
          left = remainingAllowances(context, context.journal.find(operation.id) ?? operation)
          left.catch(() => undefined) // Awaited for the report.
        },
        // The chain is read at the same time, whatever the rate limit of the service.
        delivered: (quotes) =>
          reportedDelivery(
            cli,
            quotes,
            AbortSignal.any([cli.program.interrupt.signal, AbortSignal.timeout(toldMs)]),
          ),
      }),
    )
    return { done, moved, left }
  } finally {
    output.done()
    await tellIfEnded(cli, context, operation.id)
  }
}

/** The longest wait for the service to name the delivery of a bridge, in ms. */
const toldMs = 15_000

/** How an operation is carried out, from the options of its command. */
export function runOptions(
  { backend }: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  options: Partial<SigningOptions>,
  maxFeePerGas?: bigint,
): Omit<RunOptions, 'account' | 'timeoutMs' | 'signal' | 'onProgress' | 'delivered'> {
  const depth = parseDepth(options.confirmations)
  const nonces = noncesOf(options.nonce, context.catalog.networks, operation.legs)
  return {
    ...(depth !== undefined && { depth }),
    ...(nonces && { pinnedNonces: nonces }),
    ...(options.queueBehind && { queueBehind: true }),
    ...(options.pipeline && { pipeline: true }),
    ...(options.wait === false && { noWait: true }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas }),
    // The embedded chains make a block only when there is something to put in it.
    ...(backend.kind === 'sandbox' && {
      mineBlocks: async (chainId: number, blocks: number) => {
        await context.rpc(chainId).request('anvil_mine', [`0x${blocks.toString(16)}`])
      },
    }),
  }
}

/** The least time in which a transaction can be sent and found, in ms. */
const leastMs = 500

/** How long to follow an operation, in ms: what is left of --timeout, which bounds the command as a whole. */
export const timeLeft = ({ program }: Cli): number => Math.max(leastMs, program.time.left() ?? halfAnHour)
