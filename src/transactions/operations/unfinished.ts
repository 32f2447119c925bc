import { decodeApprove } from '../../chain/erc20.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { CheckedPlan } from '../../planning/plan.ts'
import type { Operation, Step } from '../../store/journal/operation.ts'
import { isAwaitingDelivery } from '../bridge/delivery.ts'
import { recordDelivery } from '../bridge/under-delivery.ts'
import { settleFinalStep } from '../confirmation/settled-steps.ts'
import { readResult } from '../outcome/received-amount.ts'
import { inSendingOrder } from '../replacement/fee-bump.ts'
import { sendErrorOf } from '../send-errors.ts'
import { activeSteps, isAllFinal } from './active-steps.ts'

/** An allowance that a transaction changes or an action needs: chain, token, spender. */
type AllowanceUse = { chainId: number; token: string; spender: string }

const granted = ({ chainId, to, data }: Transaction): AllowanceUse[] => {
  const approval = decodeApprove(data)
  return approval ? [{ chainId, token: to, spender: approval.spender }] : []
}

/** The allowances that an operation still needs: granted and not used up. */
function neededAllowances(operation: Operation): AllowanceUse[] {
  const steps = activeSteps(operation)
  return steps.flatMap((step) => {
    if (step.role !== 'approve' || step.state === 'PLANNED' || step.state === 'RESERVED') return []
    const action = steps.find((other) => other.leg === step.leg && other.role === 'action')
    return action && action.state !== 'FINAL_OK' && action.state !== 'FINAL_REVERTED'
      ? granted(step.transaction)
      : []
  })
}

/** The states in which an operation may still need its allowances. */
const unfinishedStates = ['EXECUTING', 'PARTIAL', 'ATTENTION'] as const

/**
 * Whether an operation keeps an allowance that a repeated request would take, which is refused until it is continued or abandoned
 * (`refuseAllowanceConflict`).
 */
export const holdsAllowance = (operation: Operation): boolean =>
  unfinishedStates.some((state) => state === operation.state) && neededAllowances(operation).length > 0

/**
 * Refuses a plan that would use up or overwrite an allowance that an unfinished operation of the wallet still needs, since that one
 * could never continue. OPERATION_UNFINISHED, with the way out. `except` is an operation that is abandoned first.
 */
export function refuseAllowanceConflict(
  { journal }: ExecutionContext,
  { proposal, steps }: CheckedPlan,
  except?: string,
): void {
  const touched = steps.flatMap(({ transaction, role }) =>
    role === 'action'
      ? proposal.legs.flatMap(({ intent }) => spentAllowances(intent, transaction))
      : granted(transaction),
  )
  const { wallet } = proposal
  const held = journal
    .list({ states: unfinishedStates, wallet, limit: 1_000 })
    .find(
      (operation) =>
        operation.id !== except &&
        neededAllowances(operation).some((claim) => touched.some((other) => isSameAllowance(claim, other))),
    )
  if (!held) return
  throw new AppError(
    'OPERATION_UNFINISHED',
    `The action ${held.id} is not finished, and this would take the allowance that it still needs`,
    {
      details: { operation: held.id },
      hint: `sluice action resume ${held.id}, or give it up: sluice action abandon ${held.id}`,
    },
  )
}

const isSameAllowance = (a: AllowanceUse, b: AllowanceUse) =>
  a.chainId === b.chainId && sameAddress(a.token, b.token) && sameAddress(a.spender, b.spender)

/** The allowance that an action spends. */
function spentAllowances(
  intent: CheckedPlan['proposal']['legs'][number]['intent'],
  { chainId, to }: Transaction,
): AllowanceUse[] {
  if (intent?.kind === 'revoke') return [{ chainId, token: intent.token.address, spender: intent.spender }]
  if (intent?.kind === 'deposit') return [{ chainId, token: intent.strategy.asset.address, spender: to }]
  if (intent?.kind === 'swap') return [{ chainId, token: intent.tokenIn.address, spender: to }]
  return []
}

/**
 * Abandons an operation whose rest was not signed, after reading the chain. PENDING if a signed step is in flight. An operation
 * that has ended by itself is returned as it ended.
 */
export async function abandonOperation(context: ExecutionContext, operation: Operation): Promise<Operation> {
  const now = await recordFromChain(context, operation, null)
  const goesOn = inFlightStep(now)
  const details = { operation: operation.id }
  const hint = `sluice action resume ${operation.id}`
  if (isOpen(now) && awaitsOnlyDelivery(now))
    throw new AppError(
      'PENDING',
      'All of it is signed and final, and what it sent to another chain has not arrived: nothing is left to give up',
      { details, hint },
    )
  if (!goesOn) return (await settleByOutcome(context, now)) ?? closeOperation(context, now)
  const refused = sendErrorOf(inSendingOrder(context.journal.attempts(now.id, goesOn.index))[0])
  // Anyone who has seen the bytes can send them at any time. Only a mined transaction with the nonce ends that.
  if (refused && goesOn.state !== 'INCLUDED')
    throw new AppError(
      'PENDING',
      `Step ${goesOn.index + 1} is signed and was sent, and may still be mined although the node refused it (${refused.words}): it cannot be taken back by giving up, only cancelled`,
      { details, hint: `sluice action cancel ${operation.id} --yes` },
    )
  throw new AppError(
    'PENDING',
    `Step ${goesOn.index + 1} is signed and on its way: it cannot be taken back by giving up`,
    { details, hint },
  )
}

/**
 * An operation with everything final on the chains recorded in the journal, and settled if it came to an end. `told` is a delivery
 * that a service reports.
 */
export async function settledOperation(
  context: ExecutionContext,
  operation: Operation,
  told: Hex | null,
): Promise<Operation> {
  const now = await recordFromChain(context, operation, told)
  return inFlightStep(now) || awaitsOnlyDelivery(now) ? now : ((await settleByOutcome(context, now)) ?? now)
}

/** The first step that is signed and not final. */
const inFlightStep = ({ steps }: Operation): Step | undefined =>
  steps.find(({ state }) => state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED')

/** Records final steps and a bridge delivery, without settling the operation. */
async function recordFromChain(
  context: ExecutionContext,
  operation: Operation,
  told: Hex | null,
): Promise<Operation> {
  for (const step of operation.steps) await settleFinalStep(context, operation.id, step)
  return recordDelivery(context, context.journal.find(operation.id)!, told)
}

/** Whether nothing is left to sign and only a bridge delivery is missing. */
const awaitsOnlyDelivery = (operation: Operation): boolean =>
  isAllFinal(operation) && isAwaitingDelivery(operation)

/** Settles an operation by its steps, if a run ended before it could; `undefined` if part of it is left. */
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

/** The reason recorded when an unsigned operation is closed because a new plan under its key replaced it. */
export const plannedAnewReason = 'planned anew before anything was signed'

/**
 * Drops an unsigned operation to free its key for a new plan. Returns `undefined` if it was dropped, or the operation if another
 * process began to sign it meanwhile. The journal decides atomically.
 */
export function dropUnsigned({ journal }: ExecutionContext, id: string): Operation | undefined {
  try {
    journal.settle(id, 'DROPPED', plannedAnewReason, 130)
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
