import type { Hex } from '../../domain/address.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import { quoteIds, type StoredPlan } from '../../guard/intent-json.ts'
import type { ExecutionContext, PlannedOperation } from '../../planning/context.ts'
import { isAwaitingDelivery } from '../../transactions/bridge/delivery.ts'
import { hasUnrecordedResult, withFinalSteps } from '../../transactions/confirmation/settled-steps.ts'
import { settledOperation } from '../../transactions/operations/unfinished.ts'
import { acquirePlanningLock, withIdleWallet } from '../../transactions/operations/wallet-lock.ts'
import { reopenContradicted } from '../../transactions/reorganisations.ts'
import { isFinished, isInFlight } from '../../transactions/run.ts'
import type { Cli } from '../world.ts'
import { reportedDelivery } from './reported-swap.ts'

/** How long a look waits for the turn of a wallet, in ms: whoever has it for longer is at work with it, and writes by himself what he sees. */
const turnMs = 1_000

/**
 * An operation of the journal, moved on by what the chains show of it, where they show something new: in the turn of its wallet, and while
 * nobody signs with that. As it stands in the journal where somebody is at work with it, or where a chain does not answer.
 */
export async function settleOperation(
  cli: Cli,
  context: ExecutionContext,
  operation: PlannedOperation,
): Promise<PlannedOperation> {
  const { id, wallet, legs } = operation
  const chains = legs.map(({ chainId }) => chainId)
  const note = async () => {
    const told = await deliveryTold(cli, operation)
    if (!(await hasUnrecordedResult(context, operation, told))) return operation
    const turn = await acquirePlanningLock(context, wallet, {
      waitMs: turnMs,
      signal: cli.world.interrupt.signal,
    })
    try {
      return await withIdleWallet(context, wallet, chains, () =>
        settledOperation(context, context.journal.find(id)!, told),
      )
    } finally {
      turn.release()
    }
  }
  const now = await note().catch((error: unknown) => {
    // Who only watches needs neither the wallet nor a chain: he is told what is written, and what the service says.
    if (error instanceof AppError && errorRow(error.code).exit < 20) return undefined
    throw error
  })
  return now ?? context.journal.find(id)!
}

/** The same where something was on its way; a dry run writes nothing, also of what the chains show. */
export async function settleIfPending(
  cli: Cli,
  context: ExecutionContext,
  operation: PlannedOperation,
  isDry: boolean,
): Promise<PlannedOperation> {
  if (!operation.steps.some(isInFlight)) return operation
  return isDry ? withFinalSteps(context, operation) : settleOperation(cli, context, operation)
}

/** The transaction that the service names as the delivery of a bridge; `null` where it names none, or fails: then only the chain is asked. */
async function deliveryTold(cli: Cli, operation: PlannedOperation): Promise<Hex | null> {
  if (!isAwaitingDelivery(operation)) return null
  try {
    return (await reportedDelivery(cli, quoteIds(operation.plan as StoredPlan))) ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** The operation of an id, a quote id or an idempotency key in the journal of this machine, if it holds one. */
export const findOperation = ({ journal }: ExecutionContext, id: string): PlannedOperation | undefined =>
  journal.find(id) ?? journal.findByIdempotencyKey(id)

/** What the journal knows, after a look whether what was final is on the chain still, and what was lost is lost. */
export async function findUpdated(
  cli: Cli,
  context: ExecutionContext,
  id: string,
): Promise<PlannedOperation | undefined> {
  const operation = findOperation(context, id)
  const wrong = operation && (await reopenContradicted(context, operation.id))
  if (!wrong) return operation
  // What was found may be final: then nothing is left to go on with.
  const now = requireOperation(context, operation.id)
  const seen = wrong === 'found' ? await settleOperation(cli, context, now) : now
  const goOn = isFinished(seen) ? '' : ` To resume: sluice action resume ${operation.id}`
  cli.notice(
    wrong === 'found'
      ? `The transaction is on chain again, so its nonce is not lost.${goOn}`
      : `A deep reorganisation removed a final transaction from the chain.${goOn}`,
  )
  return seen
}

/** The operation of an id, a quote id or an idempotency key in the journal of this machine; ACTION_NOT_FOUND otherwise. */
export function requireOperation(context: ExecutionContext, id: string): PlannedOperation {
  const operation = findOperation(context, id)
  if (operation) return operation
  throw new AppError('ACTION_NOT_FOUND', `No action "${plain(id)}" in the journal of this machine`)
}
