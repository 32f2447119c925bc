import type { Address, Hex } from '../../../domain/address.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Journal } from '../../../store/journal-words.ts'
import { ifAnswered } from '../../chain/within.ts'
import { findStep } from '../watch.ts'

/** Whose nonces they are, and on which chain. */
type Whose = { journal: Journal; node: Rpc; chainId: number; wallet: Address }

/** Nonces without those that the node shows to be used by what this journal signed for them. What it does not show of those may be used by another transaction. */
export async function notOwn(
  { journal, node, chainId, wallet }: Whose,
  nonces: readonly number[],
): Promise<number[]> {
  const left: number[] = []
  for (const nonce of nonces) {
    const holder = journal.holderOf(chainId, wallet, nonce)
    const attempts = holder ? journal.attempts(holder.operation, holder.index) : []
    if (attempts.length === 0 || !(await ifAnswered(findStep(node, { wallet }, attempts)))) left.push(nonce)
  }
  return left
}

/** Tells of nonces whether the journal saw in a block what it signed for them. One that it only holds may be used by another transaction. */
export function isSeenMined({ journal, chainId, wallet }: Omit<Whose, 'node'>): (nonce: number) => boolean {
  return (nonce) => {
    const holder = journal.holderOf(chainId, wallet, nonce)
    const step = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
    return step !== undefined && step.inclusion !== null
  }
}

/** Whether a transaction with a nonce is what the journal signed for the step that holds it. What is of a step that lost the nonce is another's. */
export function isOwn({ journal, chainId, wallet }: Whose, nonce: number, hash: Hex): boolean {
  const holder = journal.holderOf(chainId, wallet, nonce)
  return holder !== undefined && journal.findHash(hash) === holder.operation
}
