import type { Hex } from '../../../domain/address.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Journal } from '../../../store/journal-words.ts'
import type { Step } from '../../../store/operation.ts'
import type { Head } from '../../chain/fees.ts'
import { byAuthorisation, seenIfSaid, whoUsed } from '../nonce-use.ts'
import { asStep, type Holder, otherOwner, takeIn } from './signed-elsewhere.ts'

type Question = {
  journal: Journal
  operationId: string
  step: Step
  rpc: Rpc
  nonce: number
  latest: number
  head: Head
}

/**
 * Looks who holds a pinned nonce, while `latest` transactions of the wallet are mined. When it is this very step, signed by our own
 * wallet elsewhere (another machine, a disk that is lost), it is taken into the journal as an attempt and `ours` comes back; otherwise
 * words for whoever it is, with the hash of a transaction; `undefined` where the node does not show it: it may be this step all the same.
 */
export async function adopt(
  question: Question,
): Promise<'ours' | { by: string; hash: Hex | null } | undefined> {
  const { journal, operationId, step, rpc, nonce, head } = question
  const holder = await holderOf(question)
  if (!holder || 'by' in holder) return holder
  const attempt = await asStep(rpc, { ...step, nonce }, holder)
  if (attempt === undefined) return undefined
  if (attempt === 'another') return { by: `another transaction, ${holder.hash}`, hash: holder.hash }
  const owner = otherOwner(journal, operationId, attempt.hash)
  if (owner !== undefined) return { by: `the action ${owner}, ${attempt.hash}`, hash: attempt.hash }
  if (step.nonce === null) journal.reserve(operationId, step.index, nonce, Number(head.number))
  takeIn(journal, operationId, step, attempt)
  return 'ours'
}

async function holderOf({
  step: { wallet },
  rpc,
  nonce,
  latest,
}: Question): Promise<Holder | { by: string; hash: null } | undefined> {
  if (nonce >= latest) {
    const seen = await seenIfSaid(rpc, wallet, nonce)
    const at = seen?.blockNumber
    return seen?.hash && { hash: seen.hash, blockNumber: at ? Number(at) : null }
  }
  const use = await whoUsed(rpc, wallet, nonce, { latest })
  if (use.is === 'authorised') return { by: byAuthorisation(use.at), hash: null }
  return use.is === 'used' ? { hash: use.transaction.hash, blockNumber: use.at } : undefined
}
