import { AppError } from '../../../domain/errors.ts'
import { quantity } from '../../../net/quantity.ts'
import type { Rpc } from '../../../net/rpc.ts'
import { wasLetGo } from '../../../store/journal-again.ts'
import type { Step } from '../../../store/operation.ts'
import type { Run } from '../run.ts'
import { isCancelling } from '../stuck.ts'

/**
 * Refuses to send a step again, or more dearly, that was final once without having done anything, as it reverted or was cancelled, and that a reorganisation took
 * off the chain: the same was safe to be done anew by then. Only what cancels it is sent, be it more dearly. Gives whether it is such a step.
 */
export function refuseLetGo({ journal, operationId, replacement }: Run, index: number): boolean {
  if (!wasLetGo(journal.events(operationId), index)) return false
  if (replacement === 'cancel' || isCancelling(journal.attempts(operationId, index))) return true
  throw new AppError(
    'PENDING',
    `Step ${index + 1} of ${operationId} had come to nothing, and is in no block now: the node is behind, or a reorganisation took that off the chain. As the same may have been done anew since, it is not sent again, and until it is mined or cancelled nothing of its wallet goes before it`,
    { details: { operation: operationId, index }, hint: `sluice action cancel ${operationId} --yes` },
  )
}

/** The first of another action of this journal under a nonce before that of a step, which the chain does not have: until it does, the step waits. */
export async function comesBefore(
  { journal, operationId }: Run,
  { nonce, wallet, transaction: { chainId } }: Step,
  rpc: Rpc,
): Promise<{ operation: string; nonce: number } | undefined> {
  const count = await rpc.request('eth_getTransactionCount', [wallet, 'latest'])
  const latest = Number(quantity(count, 'the nonce'))
  if (nonce === null || latest >= nonce) return undefined
  const operation = journal.holderOf(chainId, wallet, latest)?.operation
  return operation === undefined || operation === operationId ? undefined : { operation, nonce: latest }
}
