import type { SwapStatus } from '../../api/swap-status.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { quoteIds, type StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { isAwaitingDelivery } from '../../transactions/bridge/pending-delivery.ts'
import { hasUnrecordedResult, withFinalSteps } from '../../transactions/confirmation/final-steps-on-chain.ts'
import { recordFromChains } from '../../transactions/execution/record-from-chains.ts'
import { acquirePlanningLock, withIdleWallet } from '../../transactions/nonces/wallet-lock.ts'
import { seenDepositOf } from '../../transactions/outcome/bitcoin-deposit.ts'
import { isPaidElsewhere } from '../../transactions/steps/operation-state.ts'
import type { Cli } from '../command-run-types.ts'
import { reportedDelivery } from './quotes/swap-status-from-service.ts'

/** How long to wait for the wallet's lock, in ms. A process that holds it for longer records the results itself. */
const turnMs = 1_000

/**
 * Records what the chains show about an operation, under the lock of its wallet. Returns it unchanged
 * if another process uses the wallet or a chain does not answer.
 */
export async function settleOperation(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
): Promise<JournalOperation> {
  const { id, wallet, legs } = operation
  const chains = legs.map(({ chainId }) => chainId)
  const note = async () => {
    if (isPaidElsewhere(operation)) return settleDeposit(cli, context, operation)
    const reportedHash = await deliveryTold(cli, operation)
    if (!(await hasUnrecordedResult(context, operation, reportedHash))) return operation
    const lock = await acquirePlanningLock(context, wallet, {
      waitMs: turnMs,
      signal: cli.program.interrupt.signal,
    })
    try {
      return await withIdleWallet(context, wallet, chains, () =>
        recordFromChains(context, context.journal.find(id)!, { reportedHash }),
      )
    } finally {
      lock.release()
    }
  }
  const now = await note().catch((error: unknown) => {
    // Watching needs neither the wallet nor a chain: show the journal and the status of the service.
    if (error instanceof AppError && errorRow(error.code).exit < 20) return undefined
    throw error
  })
  return now ?? context.journal.find(id)!
}

/** Asks for the status of a swap from Bitcoin, and records what it shows. */
async function settleDeposit(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
): Promise<JournalOperation> {
  const [quote = operation.id] = quoteIds(operation.plan as StoredPlan)
  return recordDeposit(cli, context, operation, await (await cli.service()).swapStatus({ id: quote }))
}

/**
 * Records what a status shows of the deposit of an operation, if it waits for one. Whoever reads such a status calls this, so that its
 * payment and its payout name the operation from then on. What a remote service says counts only if its answer was checked here, which
 * needs the terms of the deposit. An operation that was changed after it was written stays as it is.
 */
export function recordDeposit(
  { backend }: Pick<Cli, 'backend'>,
  { journal }: Pick<ExecutionContext, 'journal'>,
  { id, plan, steps }: JournalOperation,
  seen: SwapStatus,
): JournalOperation {
  const isChecked = backend.kind !== 'remote' || (plan as StoredPlan).deposit?.swap !== undefined
  if (isChecked && isPaidElsewhere({ steps }) && isIntact(journal, id))
    journal.recordDeposit(id, seenDepositOf(seen))
  return journal.find(id)!
}

function isIntact(journal: ExecutionContext['journal'], id: string): boolean {
  try {
    journal.verify(id)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'JOURNAL_UNREADABLE') return false
    throw error
  }
}

/** The same if a transaction is pending; a dry run records nothing. */
export async function settleIfPending(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  isDry: boolean,
): Promise<JournalOperation> {
  if (!operation.steps.some(isInFlight)) return operation
  return isDry ? withFinalSteps(context, operation) : settleOperation(cli, context, operation)
}

/** The delivery transaction according to the service; `null` if it names none or fails, so that only the chain is read. */
async function deliveryTold(cli: Cli, operation: JournalOperation): Promise<Hex | null> {
  if (!isAwaitingDelivery(operation)) return null
  try {
    return (await reportedDelivery(cli, quoteIds(operation.plan as StoredPlan))) ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
