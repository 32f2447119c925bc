import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { recordDelivery } from '../bridge/delivery-check.ts'
import { isAwaitingDelivery } from '../bridge/pending-delivery.ts'
import { settleFinalStep } from '../confirmation/record-final-steps.ts'
import { readResult } from '../outcome/received-amount.ts'
import { inSendingOrder } from '../replacement/fee-bump.ts'
import { sendErrorOf } from '../send-errors.ts'
import { activeSteps, isAllFinal } from './active-steps.ts'
import { withIdleWallet } from './wallet-lock.ts'

/**
 * Abandons an operation whose rest was not signed, after reading the chain. PENDING if a signed step is in flight. An
 * operation that has already ended is returned as it ended.
 */
export async function abandonOperation(context: ExecutionContext, operation: Operation): Promise<Operation> {
  const now = await recordFromChain(context, operation, null)
  const goesOn = inFlightStep(now)
  const details = { operation: operation.id }
  const hint = sluice('action resume', operation.id)
  if (isOpen(now) && awaitsOnlyDelivery(now))
    throw new AppError(
      'PENDING',
      'All transactions are signed and final, but the funds have not arrived yet: there is nothing to drop',
      { details, next: hint },
    )
  if (!goesOn) return (await settleByOutcome(context, now)) ?? closeOperation(context, now)
  const refused = sendErrorOf(inSendingOrder(context.journal.attempts(now.id, goesOn.index))[0])
  // Anyone who has seen the bytes can send them at any time, until a transaction with the nonce is mined.
  if (refused && goesOn.state !== 'INCLUDED')
    throw new AppError(
      'PENDING',
      `Step ${goesOn.index + 1} is signed and was sent, and can still be mined although the node refused it (${refused.words}): it can be cancelled, but not abandoned`,
      { details, next: sluice('action cancel', operation.id, { '--yes': true }) },
    )
  throw new AppError(
    'PENDING',
    `Step ${goesOn.index + 1} is signed and pending, so the action cannot be abandoned`,
    { details, next: hint },
  )
}

/**
 * Records everything that is final on the chains and settles the operation if it has ended. `reportedHash` is a delivery that
 * a service reports.
 */
export async function settledOperation(
  context: ExecutionContext,
  operation: Operation,
  reportedHash: Hex | null,
): Promise<Operation> {
  const now = await recordFromChain(context, operation, reportedHash)
  return inFlightStep(now) || awaitsOnlyDelivery(now) ? now : ((await settleByOutcome(context, now)) ?? now)
}

/** Returns the first step that is signed and not final. */
const inFlightStep = ({ steps }: Operation): Step | undefined => steps.find(isInFlight)

/** Records final steps and a bridge delivery, without settling the operation. */
async function recordFromChain(
  context: ExecutionContext,
  operation: Operation,
  reportedHash: Hex | null,
): Promise<Operation> {
  for (const step of operation.steps) await settleFinalStep(context, operation.id, step)
  return recordDelivery(context, context.journal.find(operation.id)!, reportedHash)
}

/** Whether nothing is left to sign and only a bridge delivery is missing. */
export const awaitsOnlyDelivery = (operation: Operation): boolean =>
  isAllFinal(operation) && isAwaitingDelivery(operation)

/** Settles an operation by its steps, if a run ended before it could; `undefined` if part of it is unfinished. */
async function settleByOutcome(
  context: ExecutionContext,
  operation: Operation,
): Promise<Operation | undefined> {
  const { journal } = context
  const { id, state } = operation
  const at = (wanted: Step['state']) => activeSteps(operation).find((step) => step.state === wanted)?.index
  const [cancelled, reverted] = [at('CANCELLED'), at('FINAL_REVERTED')]
  const isDone = isAllFinal(operation)
  if (!isOpen({ state }) || (cancelled === undefined && reverted === undefined && !isDone)) return undefined
  if (state !== 'EXECUTING') journal.settle(id, 'EXECUTING', 'resumed')
  if (cancelled !== undefined) journal.settle(id, 'CANCELLED', `step ${cancelled + 1} was cancelled`, 24)
  else if (reverted !== undefined) journal.settle(id, 'FAILED', `step ${reverted + 1} reverted`, 22)
  else journal.settle(id, 'DONE', 'all steps are final', 0, await readResult(context, operation))
  return journal.find(id)!
}

const isOpen = ({ state }: Pick<Operation, 'state'>): boolean =>
  ['OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'].includes(state)

/**
 * Drops an unsigned operation to free its key for a new plan. Returns `undefined` if it was dropped, or the operation if another
 * process began to sign it meanwhile. The journal decides atomically.
 */
export function dropUnsigned({ journal }: ExecutionContext, id: string): Operation | undefined {
  try {
    journal.dropForReplan(id, 'planned anew before anything was signed')
    return undefined
  } catch (error) {
    const now = journal.find(id)
    if (now && now.state !== 'OPEN') return now
    throw error
  }
}

/** Closes an operation whose rest was not signed. If nothing was signed, its key is free again. */
function closeOperation({ journal }: ExecutionContext, operation: Operation): Operation {
  if (!isOpen(operation)) return operation
  const signed = operation.steps.some(({ index }) => journal.attempts(operation.id, index).length > 0)
  journal.settle(operation.id, signed ? 'CANCELLED' : 'DROPPED', 'given up by the person', signed ? 21 : 130)
  return journal.find(operation.id)!
}

/** Abandons an operation while no other process executes one of its wallet; the caller holds the planning lock of the wallet. */
export async function abandonWhenIdle(
  context: ExecutionContext,
  { id, wallet, legs }: Pick<JournalOperation, 'id' | 'wallet' | 'legs'>,
): Promise<JournalOperation> {
  const chains = legs.map(({ chainId }) => chainId)
  return withIdleWallet(context, wallet, chains, () => abandonOperation(context, context.journal.find(id)!))
}
