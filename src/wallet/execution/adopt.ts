import type { Hex } from '../../domain/address.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Step } from '../../store/operation.ts'
import type { Head } from '../chain/fees.ts'
import { asStep, takeIn } from './signed-elsewhere.ts'
import { ownerOfNonce, seenAt } from './watch.ts'

type Question = { journal: Journal; operationId: string; step: Step; rpc: Rpc; nonce: number; head: Head }

/**
 * Looks who holds a pinned nonce. When it is this very step, signed by our own wallet elsewhere (another machine, a disk
 * that is lost), it is taken into the journal as an attempt and `ours` comes back; otherwise the hash of the stranger,
 * or `undefined` where the node shows none.
 */
export async function adopt({
  journal,
  operationId,
  step,
  rpc,
  nonce,
  head,
}: Question): Promise<'ours' | Hex | undefined> {
  const seen = await seenAt(rpc, step.wallet, nonce)
  const holder = seen?.hash
    ? { hash: seen.hash, blockNumber: seen.blockNumber ? Number(seen.blockNumber) : null }
    : await ownerOfNonce(rpc, step.wallet, nonce, 0)
  if (!holder) return undefined
  const attempt = await asStep(rpc, { ...step, nonce }, holder)
  if (attempt === undefined || attempt === 'another') return holder.hash
  if (step.nonce === null) journal.reserve(operationId, step.index, nonce, Number(head.number))
  takeIn(journal, operationId, step, attempt)
  return 'ours'
}
