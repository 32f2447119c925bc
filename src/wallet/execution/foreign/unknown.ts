import { quantity } from '../../../net/quantity.ts'
import type { Operation } from '../../../store/operation.ts'
import type { Ground } from '../../ground.ts'
import type { KeptPlan } from '../../plan/intent-json.ts'
import { isUnsigned } from '../run.ts'
import { standing } from '../standing.ts'

/** Transactions of a wallet on a chain that a journal does not know. */
export type Unknown = { chainId: number; count: number }

/**
 * The first chain of what is left of an operation on which its wallet has sent transactions that the journal does not know, beyond those that it had
 * when the operation was planned: the wallet was used elsewhere since, or the journal is an older copy.
 */
export async function unknownTo(ground: Ground, operation: Operation): Promise<Unknown | undefined> {
  const left = standing(operation).filter(
    (step) => step.role === 'action' && (isUnsigned(step) || step.state === 'SUPERSEDED'),
  )
  for (const chainId of new Set(left.map(({ transaction }) => transaction.chainId))) {
    const count = await countOf(ground, operation, chainId)
    if (count > 0) return { chainId, count }
  }
  return undefined
}

async function countOf(
  { rpc, journal }: Ground,
  { wallet, steps, legs, plan }: Operation,
  chainId: number,
): Promise<number> {
  const planned = legs[0]?.chainId === chainId ? (plan as Partial<KeptPlan> | null)?.walletNonce : undefined
  const next = journal.nextNonce(chainId, wallet)
  // Where it has signed nothing yet, and did not look, it cannot know.
  if (next === 0 && planned === undefined) return 0
  const lost = steps.flatMap(({ state, nonce, transaction }) =>
    state === 'SUPERSEDED' && nonce !== null && transaction.chainId === chainId ? [nonce + 1] : [],
  )
  const count = await rpc(chainId).request('eth_getTransactionCount', [wallet, 'latest'])
  return Math.max(0, Number(quantity(count, 'the nonce')) - Math.max(next, planned ?? 0, ...lost))
}
