import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { quantity } from '../../net/quantity.ts'
import type { Ground } from '../ground.ts'
import type { Proposal } from '../plan/proposal.ts'
import { countsOf } from './counts.ts'
import { byAuthorisation, notShown, type Seen, seenIfSaid, whoUsed } from './nonce-use.ts'

/** The call of a transaction as a node shows it. */
export type Shown = { to: Hex | null; input: Hex; value: string }

/**
 * Whether the first transaction of a plan was sent already under its pinned nonce, by whomever: then there is nothing to
 * try any more, only to follow. A nonce that another transaction used is NONCE_USED; one of which the node does not show what used it is
 * RPC_INCONSISTENT, as it may be this one.
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
  if (nonce >= latest) {
    // What only waits may still be replaced: taking the nonce decides about that.
    const waits = await seenIfSaid<Seen & Shown>(node, wallet, nonce)
    return waits !== undefined && isSame(waits, first)
  }
  const use = await whoUsed<Seen & Shown>(node, wallet, nonce, { latest })
  if (use.is === 'used' && isSame(use.transaction, first)) return true
  const details = { nonce, next: latest, chainId: leg.chainId }
  if (use.is !== 'used' && use.is !== 'authorised') throw notShown(node, wallet, details)
  const hash = use.is === 'used' ? use.transaction.hash : null
  const by = use.is === 'used' ? `another transaction, ${hash}` : byAuthorisation(use.at)
  throw new AppError('NONCE_USED', `Nonce ${nonce} of ${wallet} was used by ${by}`, {
    details: { ...details, hash },
  })
}

/**
 * Refuses a plan whose pinned nonce comes after one that nobody has sent: it would wait for that, and nothing is begun for it. Gives what a plan that
 * is only made is told instead, where it `isPlanned`: what is to be signed later may well have such a nonce. A plan that `isMade` has its nonce for good.
 */
export async function refuseEarly(
  { rpc, journal }: Ground,
  { wallet, nonce, legs }: Proposal,
  { isPlanned, isMade }: { isPlanned: boolean; isMade: boolean },
): Promise<string | undefined> {
  const [leg] = legs
  if (nonce === null || !leg) return undefined
  const { chainId } = leg
  const { latest, pending } = await countsOf({ journal, rpc: rpc(chainId), chainId, wallet })
  const next = Math.max(latest, pending)
  if (isPlanned && nonce < latest)
    return `Nonce ${nonce} of ${wallet} is used already: nothing new can be sent with this plan.`
  if (nonce <= next) return undefined
  const why = `Nonce ${nonce} would hang: the next one of ${wallet} is ${next}`
  if (isPlanned) return `${why}.`
  throw new AppError('NONCE_GAP', why, {
    details: { nonce, next: latest, pending, chainId },
    hint: isMade
      ? 'Send what comes before it first; a plan that is made now has the next one'
      : `--nonce ${next}`,
  })
}

/** Whether a transaction that a node shows is the very call that is wanted; one that is not shown whole is RPC_INCONSISTENT. */
export function isSame(shown: Shown, wanted: Transaction): boolean {
  refuseBroken(shown)
  const { to, input, value } = shown
  return (
    typeof to === 'string' &&
    sameAddress(to, wanted.to) &&
    input.toLowerCase() === wanted.data.toLowerCase() &&
    BigInt(value) === wanted.value
  )
}

/** A transaction that is not shown whole is RPC_INCONSISTENT. */
export function refuseBroken({ input, value }: Shown): void {
  if (typeof input !== 'string' || typeof value !== 'string')
    throw new AppError('RPC_INCONSISTENT', 'The node shows a transaction without what it calls')
}
