import { type Action, isFinalStatus } from '../../api/action.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { duration } from '../../cli/options/global-options.ts'
import { findOperation, findUpdated, settleOperation } from '../../cli/signing-flow/operation-lookup.ts'
import { reportFor } from '../../cli/signing-flow/operation-report.ts'
import { anyView } from '../../cli/views/report-view.ts'
import { observe } from '../../cli/watch-loop.ts'
import type { Cli } from '../../cli/world.ts'
import { findStalledPart, type StalledPart } from '../../diagnosis/facts/stalled-part.ts'
import type { Report } from '../../diagnosis/report.ts'
import { successorOf } from '../../diagnosis/successor.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { shellOperand } from '../../domain/shell-quoting.ts'
import type { StoredPlan } from '../../guard/intent-json.ts'
import type { ExecutionContext, PlannedOperation } from '../../planning/context.ts'
import { isAwaitingDelivery } from '../../transactions/bridge/delivery.ts'
import { readNonceCounts } from '../../transactions/nonces/nonce-counts.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { readOnlyContext } from '../../transactions/read-only-context.ts'
import { hasRunEnded, isInFlight } from '../../transactions/run.ts'

/** `action watch` */
export async function watch(cli: Cli, ids: string[], options: { interval: string }): Promise<void> {
  const intervalMs = duration(options.interval)
  const context = readOnlyContext(await cli.backend.context())
  const left = new Map<string, StalledPart>()
  const leftOf = async (id: string) => {
    const operation = findOperation(context, id)
    return operation && findStalledPart(context, operation, cli.world.interrupt.signal)
  }
  const look = async (id: string) => {
    const now = await watched(cli, context, id).catch(async (error: unknown) => {
      // What was never signed may be known to nobody else.
      if (error instanceof AppError && (await leftOf(id)))
        return reportFor(context, findOperation(context, id)!)
      throw error
    })
    const what = isFinalStatus(now.status) ? undefined : await leftOf(now.id)
    if (what) left.set(now.id, what)
    return now
  }
  const ends = await Promise.all(
    ids.map((id) =>
      observe(cli, () => look(id), {
        // What needs a person does not go on by itself.
        isOver: ({ id: found, status }) =>
          isFinalStatus(status) || left.has(found) || findOperation(context, found)?.state === 'ATTENTION',
        view: anyView,
        intervalMs,
        again: () => againFor(context, id),
      }),
    ),
  )
  const failures = ends.flatMap((end) => {
    const what = left.get(end.id)
    return what ? unattended(end.id, what) : (failureOf(context, end) ?? [])
  })
  // Where something of one was signed, the end of another of which nothing was does not hide that.
  const told = failures.find(({ code }) => errorRow(code).exit >= 20) ?? failures[0]
  if (told) throw told
}

/** What goes on with an action that is not over: what is signed is sent again by `resume`, and only looked at by another watch. */
function againFor(context: ExecutionContext, id: string): string {
  const operation = findOperation(context, id)
  return operation?.steps.some(isInFlight)
    ? `sluice action resume ${operation.id}`
    : `sluice action watch --timeout 1h ${shellOperand(id)}`
}

/** That nobody goes on with an action: below 20 where nothing of it was ever signed. */
function unattended(id: string, what: StalledPart): AppError {
  const words = {
    all: ['OPERATION_UNFINISHED', `Nothing of ${id} was signed, and no process is running it.`],
    rest: ['PARTIAL', `${id} is partly done. The remaining steps are unsigned and no process is running it.`],
  } as const
  const [code, why] = words[what]
  return new AppError(code, why, {
    details: { id },
    hint: `sluice action resume ${shellOperand(id)}`,
  })
}

/** How an action ended that did not come to where it was to: as the journal has it, else in the word of the service. `undefined` where it went well. */
function failureOf(context: ExecutionContext, { id, status }: Report | Action): AppError | undefined {
  const hint = `sluice action explain ${shellOperand(id)}`
  const operation = findOperation(context, id)
  const now = operation && successorOf(context, operation)
  if (now)
    return new AppError(
      'DECLINED',
      `Nothing of action ${id} was signed. The same request was started again under its key as ${now.id}`,
      { details: { id, wentOnAs: now.id }, hint: `sluice action explain ${shellOperand(now.id)}` },
    )
  if (operation && hasRunEnded(operation)) {
    try {
      outcomeOf(operation)
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message, details } = error
      return new AppError(code, message, { details: { id, ...details }, cause: error, hint })
    }
  }
  if (status.toUpperCase() === 'REFUNDED')
    return new AppError('REFUNDED', `Action ${id} ended in a refund`, { details: { id }, hint })
  if (status.toUpperCase() !== 'FAILED') return undefined
  return new AppError('ACTION_FAILED', `Action ${id} failed`, { details: { id }, hint })
}

/** What the journal knows, moved on by what the service sees on the chain; an operation of another machine is the service's alone. */
async function watched(cli: Cli, context: ExecutionContext, id: string): Promise<Report | Action> {
  const operation = await findUpdated(cli, context, id)
  if (!operation) return (await cli.service()).getAction({ id })
  const report = reportFor(context, operation)
  if (hasRunEnded(operation)) return report
  const { status, finishedAt, transactions } = await (await cli.service()).getAction({ id: operation.id })
  const now = await settleOperation(cli, context, operation)
  const known = reportFor(context, now)
  // What a service says of a bridge is not taken for its end: the chain of the other end says what came.
  if (isFinalStatus(known.status) || isAwaitingDelivery(now) || !isFinalStatus(status)) return known
  // What a service saw, a reorganisation may have taken away since.
  if (await isOnItsWay(context, now)) return known
  // What was planned anew has other transactions than the service was asked for.
  const isAsAsked = (now.plan as StoredPlan).since === undefined
  const seen = known.transactions.map((tx, at) => {
    const told = isAsAsked ? transactions[at] : transactions.find(isSame(tx))
    const { hash, status, blockNumber, gasUsed } = told ?? tx
    return { ...tx, hash: hash ?? tx.hash, status: status ?? tx.status, blockNumber, gasUsed }
  })
  return { ...known, status, finishedAt, transactions: seen }
}

/** Whether something that is signed of an operation is in no block by our own node, which counts no transaction under its nonce. */
async function isOnItsWay({ rpc, journal }: ExecutionContext, { steps }: PlannedOperation): Promise<boolean> {
  const open = steps.filter(isInFlight)
  const counts = await Promise.all(
    open.map(({ wallet, transaction: { chainId } }) =>
      undefinedIfUnanswered(withTimeout(readNonceCounts({ journal, rpc: rpc(chainId), chainId, wallet }))),
    ),
  )
  return open.some(({ nonce }, at) => nonce !== null && (counts[at]?.latest ?? Infinity) <= nonce)
}

/** Whether what a service tells is a transaction of the journal, by its nonce: any attempt of a step has that. */
const isSame =
  (known: Report['transactions'][number]) =>
  ({ chainId, nonce }: Action['transactions'][number]): boolean =>
    nonce !== null && nonce === known.nonce && chainId === known.chainId && known.status !== 'superseded'
