import { checkFinality } from '../../chain/finality/finality.ts'
import { findAttempt, type MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { lookupTimeoutMs } from '../../chain/finality/quorum.ts'
import type { Hex } from '../../domain/address.ts'
import { networkNamed } from '../../domain/networks.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { checkDelivery } from '../bridge/delivery-check.ts'
import { isAwaitingDelivery } from '../bridge/pending-delivery.ts'
import { activeSteps, isAllFinal } from '../steps/active-steps.ts'

/** Returns the result of a step that is final on the chain but not in the journal, by two equal canonical receipts. */
async function finalOnChain(
  { rpc, catalog }: ExecutionContext,
  step: Step,
): Promise<MinedTransaction | undefined> {
  if (step.state !== 'SIGNED' && step.state !== 'BROADCAST' && step.state !== 'INCLUDED') return undefined
  const { chainId } = step.transaction
  const look = () => findAttempt(rpc(chainId), step, step.attempts)
  const [first, found] = [await look(), await look()]
  if (!first || !found || first.blockHash !== found.blockHash) return undefined
  const { depth } = networkNamed(catalog.networks, chainId)
  const shown = { ...found, by: rpc(chainId).host }
  const { deep } = await checkFinality(rpc(chainId), shown, { wanted: depth, usual: depth }, lookupTimeoutMs)
  return deep ? found : undefined
}

/**
 * Returns an operation with the steps that succeeded on chain marked as final. Read-only: the journal is not changed.
 */
export async function withFinalSteps(context: ExecutionContext, operation: Operation): Promise<Operation> {
  const look = async (step: Step): Promise<Step> => {
    const found = await finalOnChain(context, step)
    const sent = step.attempts.find(({ hash }) => hash === found?.hash)
    return found?.ok && sent?.kind !== 'cancel' ? { ...step, state: 'FINAL_OK' } : step
  }
  return { ...operation, steps: await Promise.all(operation.steps.map(look)) }
}

const isIneffective = ({ state }: Step): boolean => state === 'CANCELLED' || state === 'FINAL_REVERTED'

/** Whether the chains show a result of an operation that the journal lacks. Read-only and without a lock. */
export async function hasUnrecordedResult(
  context: ExecutionContext,
  operation: Operation,
  reportedHash: Hex | null,
): Promise<boolean> {
  for (const step of operation.steps) if (await finalOnChain(context, step)) return true
  // The process that recorded the last step may have ended before it recorded the outcome.
  const isOver = !operation.steps.some(isInFlight) && activeSteps(operation).some(isIneffective)
  if (isOver || !isAwaitingDelivery(operation)) return isOver || isAllFinal(operation)
  const seen = await checkDelivery(context, operation, reportedHash)
  return seen !== undefined && !('unseen' in seen)
}
