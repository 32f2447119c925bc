import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { pendingDelivery } from '../../transactions/bridge/pending-delivery.ts'
import { acquirePlanningLock, withIdleWallet } from '../../transactions/nonces/wallet-lock.ts'
import { activeSteps, hasLostNonce } from '../../transactions/steps/active-steps.ts'
import { hasSignature, isFinished, isPaidElsewhere } from '../../transactions/steps/operation-state.ts'

/** The part of an operation that no waiting advances: all of it, or the unsigned rest. */
export type StalledPart = 'all' | 'rest'

/** How long a process that waits for a delivery may not have noticed it, in ms: it waits without the planning lock. */
const noticeMs = 30_000

/**
 * The part that is unsigned while nothing is in flight, so that only a process can continue it; `undefined` if it advances by
 * itself, or is finished.
 */
function stalledPartOf({ journal, now }: ExecutionContext, id: string): StalledPart | undefined {
  const operation = journal.find(id)
  if (!operation || isPaidElsewhere(operation) || isFinished(operation) || hasLostNonce(operation))
    return undefined
  const { state } = operation
  const counts = activeSteps(operation)
  if (!hasSignature(operation)) return state === 'OPEN' ? 'all' : undefined
  // A failed or cancelled step has its own outcome.
  const isUndecided = counts.some((step) => !isUnsigned(step) && step.state !== 'FINAL_OK')
  if (isUndecided || !counts.some(isUnsigned) || pendingDelivery(operation)) return undefined
  const arrived = journal.events(id).findLast(({ becomes }) => /^leg \d+ ready$/.test(becomes))
  return arrived && now() - arrived.at < noticeMs ? undefined : 'rest'
}

/** The stalled part if no process plans or signs for the wallet, so that waiting is pointless. */
export async function findStalledPart(
  context: ExecutionContext,
  { id, wallet, legs }: Pick<Operation, 'id' | 'wallet' | 'legs'>,
  signal: AbortSignal,
): Promise<StalledPart | undefined> {
  if (!stalledPartOf(context, id)) return undefined
  const chains = legs.map(({ chainId }) => chainId)
  try {
    const turn = await acquirePlanningLock(context, wallet, { waitMs: 0, signal })
    try {
      // The previous lock holder may have signed it since the first look.
      return await withIdleWallet(context, wallet, chains, async () => stalledPartOf(context, id))
    } finally {
      turn.release()
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'WALLET_BUSY') return undefined
    throw error
  }
}
