import type { Action } from '../../api/action.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { withPricedGas } from '../../cli/gas-in-usd.ts'
import { type ActionAtService, actionAtService } from '../../cli/named-id.ts'
import { duration } from '../../cli/options/global-options.ts'
import { findOperation, findUpdated } from '../../cli/signing-flow/find-operation.ts'
import { settleOperation } from '../../cli/signing-flow/record-chain-results.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { actionView } from '../../cli/views/operation-view.ts'
import { watchUntil } from '../../cli/watch-loop.ts'
import { findStalledPart, type StalledPart } from '../../diagnosis/facts/stalled-part.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import { successorOf } from '../../diagnosis/successor-operation.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { actionEnds, isActionEnd } from '../../domain/swap-outcome.ts'
import { type Next, sluice } from '../../domain/text/next-step.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { isAwaitingDelivery } from '../../transactions/bridge/pending-delivery.ts'
import { readNonceCounts } from '../../transactions/nonces/nonce-counts.ts'
import { readOnlyContext } from '../../transactions/operations/read-only-context.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { hasRunEnded, isPaidElsewhere } from '../../transactions/steps/operation-state.ts'

/** `action watch` */
export async function watch(cli: Cli, ids: string[], options: OptionsOf<'action watch'>): Promise<void> {
  const intervalMs = duration(options.interval)
  cli.program.time.follow()
  const context = readOnlyContext(await cli.backend.context())
  const left = new Map<string, StalledPart>()
  const leftOf = async (id: string) => {
    const operation = findOperation(context, id)
    return operation && findStalledPart(context, operation, cli.program.interrupt.signal)
  }
  /** The whole ids of actions that only the service knows, by what was typed. */
  const wholeIds = new Map<string, string>()
  const look = async (typed: string) => {
    const id = wholeIds.get(typed) ?? typed
    const now = await watched(cli, context, id).catch(async (error: unknown) => {
      // An unsigned action may be known only to this machine.
      if (error instanceof AppError && (await leftOf(id)))
        return reportFor(context, findOperation(context, id)!)
      throw error
    })
    if (!findOperation(context, id)) wholeIds.set(typed, now.id)
    const told =
      'assurance' in now ? { ...(await withPricedGas(cli, context, now)), source: 'journal' as const } : now
    const what = isActionEnd(now.status) ? undefined : await leftOf(now.id)
    if (what) left.set(now.id, what)
    return told
  }
  const ends = await Promise.all(
    ids.map((id) =>
      watchUntil(cli, () => look(id), {
        what: ids.length > 1 ? `watching ${ids.length} actions` : `watching action ${id}`,
        // An action that needs a person does not finish by itself.
        isOver: ({ id: found, status }) =>
          isActionEnd(status) ||
          status === 'REPORTED' ||
          left.has(found) ||
          findOperation(context, found)?.state === 'ATTENTION',
        view: actionView,
        intervalMs,
        again: () => againFor(context, id),
        // What is in the journal is read from the chains here.
        announced: ({ id: found, source }) =>
          source === 'service' ? cli.backend.announced?.(found) : undefined,
      }),
    ),
  )
  const failures = ends.flatMap((end) => {
    const what = left.get(end.id)
    return what ? unattended(end.id, what) : (failureOf(context, end) ?? [])
  })
  // Report an action with signed transactions before one without.
  const failure = failures.find(({ code }) => errorRow(code).exit >= 20) ?? failures[0]
  if (failure) throw failure
}

/** The command to continue an unfinished action: `resume` sends signed transactions again, another watch only follows. */
function againFor(context: ExecutionContext, id: string): Next {
  const operation = findOperation(context, id)
  return operation?.steps.some(isInFlight)
    ? sluice('action resume', operation.id)
    : sluice('action watch', id, { '--timeout': '1h' })
}

/** The error for an action that no process is running: below 20 only if nothing was ever signed. */
function unattended(id: string, what: StalledPart): AppError {
  const words = {
    all: ['OPERATION_UNFINISHED', `Nothing of ${id} was signed, and no process is running it.`],
    rest: ['PARTIAL', `${id} is partly done. The remaining steps are unsigned and no process is running it.`],
  } as const
  const [code, why] = words[what]
  return new AppError(code, why, {
    details: { id },
    next: sluice('action resume', id),
  })
}

/**
 * How an action ended that did not come to where it was to: as the journal has it, else as the engine in this process sees it. The word of a
 * remote service ends nothing. `undefined` where it went well.
 */
function failureOf(context: ExecutionContext, end: Report | ActionAtService): AppError | undefined {
  const { id, status } = end
  const hint = sluice('action explain', id)
  const operation = findOperation(context, id)
  const now = operation && successorOf(context, operation)
  if (now)
    return new AppError(
      'DECLINED',
      `Nothing of action ${id} was signed. The same request was started again under its key as ${now.id}`,
      { details: { id, wentOnAs: now.id }, next: sluice('action explain', now.id) },
    )
  if (operation && hasRunEnded(operation)) {
    try {
      outcomeOf(operation)
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.with({ details: { id, ...error.details }, next: hint })
    }
  }
  if (status === 'REPORTED')
    return new AppError(
      'PENDING',
      `Action ${id} is reported as ${'reported' in end ? end.reported : 'ended'} by the service, and is not in the journal of this machine, so this could not be checked`,
      { details: { id }, next: hint },
    )
  if (status.toUpperCase() === 'REFUNDED')
    return new AppError('REFUNDED', `Action ${id} ended in a refund`, { details: { id }, next: hint })
  if (status.toUpperCase() !== 'FAILED') return undefined
  return new AppError('ACTION_FAILED', `Action ${id} failed`, { details: { id }, next: hint })
}

/** The journal's report of an action, updated from the chain; the service's report for an action of another machine. */
async function watched(cli: Cli, context: ExecutionContext, id: string): Promise<Report | ActionAtService> {
  const operation = await findUpdated(cli, context, id)
  if (!operation) return actionAtService(cli, id)
  const report = reportFor(context, operation)
  if (hasRunEnded(operation)) return report
  // Of what signs nothing the service has no action.
  if (isPaidElsewhere(operation)) return reportFor(context, await settleOperation(cli, context, operation))
  const { status, finishedAt, transactions } = await (await cli.service()).getAction({ id: operation.id })
  const now = await settleOperation(cli, context, operation)
  const known = reportFor(context, now)
  const end = actionEnds.find((one) => one === status.toUpperCase())
  // The destination chain decides whether a bridge delivered, not the service.
  if (isActionEnd(known.status) || isAwaitingDelivery(now) || end === undefined) return known
  // A reorganisation may have removed a transaction that the service saw.
  if (await isOnItsWay(context, now)) return known
  // A replanned action has other transactions than the service was asked for.
  const isAsAsked = (now.plan as StoredPlan).since === undefined
  const seen = known.transactions.map((tx, at) => {
    const failure = isAsAsked ? transactions[at] : transactions.find(isSame(tx))
    const { hash, status, blockNumber, gasUsed } = failure ?? tx
    return { ...tx, hash: hash ?? tx.hash, status: status ?? tx.status, blockNumber, gasUsed }
  })
  return { ...known, status: end, finishedAt, transactions: seen }
}

/** Whether something that is signed of an operation is in no block by our own node, which counts no transaction under its nonce. */
async function isOnItsWay({ rpc, journal }: ExecutionContext, { steps }: JournalOperation): Promise<boolean> {
  const open = steps.filter(isInFlight)
  const counts = await Promise.all(
    open.map(({ wallet, transaction: { chainId } }) =>
      undefinedIfUnanswered(withTimeout(readNonceCounts({ journal, rpc: rpc(chainId), chainId, wallet }))),
    ),
  )
  return open.some(({ nonce }, at) => nonce !== null && (counts[at]?.latest ?? Infinity) <= nonce)
}

/** Whether a transaction of the service belongs to a step of the journal, by its nonce, which all attempts share. */
const isSame =
  (known: Report['transactions'][number]) =>
  ({ chainId, nonce }: Action['transactions'][number]): boolean =>
    nonce !== null && nonce === known.nonce && chainId === known.chainId && known.status !== 'superseded'
