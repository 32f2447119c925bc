import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { quantity } from '../../net/quantity.ts'
import type { Ground } from '../ground.ts'
import type { Proposal } from '../plan/proposal.ts'
import { ownerOfNonce, seenAt } from './watch.ts'

/** The call of a transaction as a node shows it. */
export type Shown = { to: Hex | null; input: Hex; value: string }

/**
 * Whether the first transaction of a plan was sent already under its pinned nonce, by whomever: then there is nothing to
 * try any more, only to follow. A nonce that another transaction used is NONCE_USED.
 */
export async function isSentAlready(
  { rpc, journal }: Ground,
  { wallet, nonce, legs, id }: Proposal,
): Promise<boolean> {
  const [leg] = legs
  const first = leg?.transactions[0]
  if (nonce === null || !leg || !first || journal.find(id)) return false
  const node = rpc(leg.chainId)
  const latest = Number(
    quantity(await node.request('eth_getTransactionCount', [wallet, 'latest']), 'the nonce'),
  )
  const hash =
    (await seenAt(node, wallet, nonce))?.hash ??
    (latest > nonce ? (await ownerOfNonce(node, wallet, nonce, 0))?.hash : undefined)
  if (hash === undefined && latest <= nonce) return false
  const shown =
    hash === undefined ? null : await node.request<Shown | null>('eth_getTransactionByHash', [hash])
  if (shown && isSame(shown, first)) return true
  // What only waits may still be replaced: taking the nonce decides about that.
  if (latest <= nonce) return false
  const by = hash === undefined ? '' : `, ${hash}`
  throw new AppError('NONCE_USED', `Nonce ${nonce} of ${wallet} was used by another transaction${by}`, {
    details: { nonce, next: latest, chainId: leg.chainId, hash: hash ?? null },
  })
}

/** Whether a transaction that a node shows is the very call that is wanted. */
export const isSame = ({ to, input, value }: Shown, wanted: Transaction): boolean =>
  to !== null &&
  sameAddress(to, wanted.to) &&
  input.toLowerCase() === wanted.data.toLowerCase() &&
  BigInt(value) === wanted.value
