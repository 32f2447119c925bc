import { AppError } from '../../domain/errors.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { Operation } from '../../store/journal/operation.ts'
import { pendingDelivery } from '../../transactions/bridge/delivery.ts'
import { activeSteps, hasLostNonce } from '../../transactions/operations/active-steps.ts'
import { acquirePlanningLock, withIdleWallet } from '../../transactions/operations/wallet-lock.ts'
import { isFinished, isUnsigned } from '../../transactions/run.ts'

/** What of an operation no waiting brings on: all of it, or the rest behind what is signed and final. */
export type StalledPart = 'all' | 'rest'

/** For how long after funds arrived somebody who waited for them may not have seen it yet, in ms: he waits without the turn of the wallet. */
const noticedMs = 30_000

/** What of an operation is not signed while nothing of it is on its way, so that only somebody at work with it goes on; `undefined` where it goes on by itself, or is over. */
function stands({ journal, now }: ExecutionContext, id: string): StalledPart | undefined {
  const operation = journal.find(id)
  if (!operation || isFinished(operation) || hasLostNonce(operation)) return undefined
  const { state, steps } = operation
  const counts = activeSteps(operation)
  if (steps.every(({ index }) => journal.attempts(id, index).length === 0))
    return state === 'OPEN' ? 'all' : undefined
  // What failed, or was cancelled, has an end of its own.
  const isUndecided = counts.some((step) => !isUnsigned(step) && step.state !== 'FINAL_OK')
  if (isUndecided || !counts.some(isUnsigned) || pendingDelivery(operation)) return undefined
  const arrived = journal.events(id).findLast(({ becomes }) => /^leg \d+ ready$/.test(becomes))
  return arrived && now() - arrived.at < noticedMs ? undefined : 'rest'
}

/** The same where nobody is at work with the wallet, neither planning nor signing: then there is nothing to wait for. */
export async function findStalledPart(
  context: ExecutionContext,
  { id, wallet, legs }: Pick<Operation, 'id' | 'wallet' | 'legs'>,
  signal: AbortSignal,
): Promise<StalledPart | undefined> {
  if (!stands(context, id)) return undefined
  const chains = legs.map(({ chainId }) => chainId)
  try {
    const turn = await acquirePlanningLock(context, wallet, { waitMs: 0, signal })
    try {
      // Whoever had the turn may have signed it since it was looked.
      return await withIdleWallet(context, wallet, chains, async () => stands(context, id))
    } finally {
      turn.release()
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'WALLET_BUSY') return undefined
    throw error
  }
}
