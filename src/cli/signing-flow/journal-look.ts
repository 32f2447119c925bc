import type { Hex } from '../../domain/address.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { quoteIds, type StoredPlan } from '../../guard/intent-json.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { isAwaitingDelivery } from '../../transactions/bridge/delivery.ts'
import { hasUnrecordedResult, withFinalSteps } from '../../transactions/confirmation/settled-steps.ts'
import type { PlannedOperation } from '../../transactions/operations/start.ts'
import { settledOperation } from '../../transactions/operations/unfinished.ts'
import { acquirePlanningLock, withIdleWallet } from '../../transactions/operations/wallet-lock.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { isFinished, isInFlight } from '../../transactions/run.ts'
import type { Cli } from '../cli.ts'
import { withReport } from './finish.ts'
import { deliveryNamed } from './swap-status.ts'

/** How long a look waits for the turn of a wallet, in ms: whoever has it for longer is at work with it, and writes by himself what he sees. */
const turnMs = 1_000

/**
 * An operation of the journal, moved on by what the chains show of it, where they show something new: in the turn of its wallet, and while
 * nobody signs with that. As it stands in the journal where somebody is at work with it, or where a chain does not answer.
 */
export async function noted(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
): Promise<PlannedOperation> {
  const { id, wallet, legs } = operation
  const chains = legs.map(({ chainId }) => chainId)
  const note = async () => {
    const told = await deliveryTold(cli, operation)
    if (!(await hasUnrecordedResult(ground, operation, told))) return operation
    const turn = await acquirePlanningLock(ground, wallet, {
      waitMs: turnMs,
      signal: cli.world.interrupt.signal,
    })
    try {
      return await withIdleWallet(ground, wallet, chains, () =>
        settledOperation(ground, ground.journal.find(id)!, told),
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
  return now ?? ground.journal.find(id)!
}

/** The same where something was on its way; a dry run writes nothing, also of what the chains show. */
export async function lookedAt(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  isDry: boolean,
): Promise<PlannedOperation> {
  if (!operation.steps.some(isInFlight)) return operation
  return isDry ? withFinalSteps(ground, operation) : noted(cli, ground, operation)
}

/** The transaction that the service names as the delivery of a bridge; `null` where it names none, or fails: then only the chain is asked. */
async function deliveryTold(cli: Cli, operation: PlannedOperation): Promise<Hex | null> {
  if (!isAwaitingDelivery(operation)) return null
  try {
    return (await deliveryNamed(cli, quoteIds(operation.plan as StoredPlan))) ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** What is over and did not come to where it was to is told as it ended, before anybody is asked for a key. */
export function refuseOver(ground: ExecutionContext, operation: PlannedOperation): void {
  if (!isFinished(operation)) return
  try {
    outcomeOf(operation)
  } catch (error) {
    throw withReport(error, ground, operation)
  }
}
