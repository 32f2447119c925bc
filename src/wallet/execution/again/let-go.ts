import { AppError } from '../../../domain/errors.ts'
import { quantity } from '../../../net/quantity.ts'
import type { Rpc } from '../../../net/rpc.ts'
import { wasLetGo } from '../../../store/journal-again.ts'
import type { Step } from '../../../store/operation.ts'
import type { Run } from '../run.ts'

/**
 * Refuses to send a step again, or more dearly, that was final once as what reverted, and that a reorganisation took off the chain: it may not revert again, and the
 * same was safe to be done anew by then. Only a cancel of it is sent. Gives whether it is such a step.
 */
export function refuseLetGo({ journal, operationId, replacement }: Run, index: number): boolean {
  if (!wasLetGo(journal.events(operationId), index)) return false
  const isCancelled =
    replacement === 'cancel' || journal.attempts(operationId, index).some(({ kind }) => kind === 'cancel')
  if (isCancelled) return true
  throw new AppError(
    'PENDING',
    `A reorganisation took step ${index + 1} of ${operationId}, which reverted, off the chain: it is not sent again, as it may not revert again, and until it is cancelled nothing of its wallet goes before it`,
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
