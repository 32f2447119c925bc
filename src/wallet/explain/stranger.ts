import { type Hex, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/network.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Attempt, Step } from '../../store/operation.ts'
import { lookMs } from '../execution/agreement.ts'
import { isNonceLost } from '../execution/finality.ts'
import { seenIfSaid, whoUsed } from '../execution/nonce-use.ts'
import { findOnChain } from '../execution/watch.ts'
import type { Owner } from './facts.ts'

/** The transaction that has the nonce of a step and is none of its attempts, where a node names it. `lostTo` is what the journal says that the nonce was lost to. */
export async function strangerAt(
  rpc: Rpc,
  network: Network,
  { wallet, nonce }: Step,
  attempts: readonly Attempt[],
  { latest, lostTo }: { latest: number; lostTo?: Hex | undefined },
): Promise<Owner | undefined> {
  if (nonce === null) return undefined
  const isOurs = (hash: Hex) => attempts.some((attempt) => sameAddress(attempt.hash, hash))
  if (latest <= nonce) {
    const waits = await seenIfSaid(rpc, wallet, nonce)
    return waits?.hash && !waits.blockNumber && !isOurs(waits.hash)
      ? { hash: waits.hash, blockNumber: null, isDeep: false }
      : undefined
  }
  const known = lostTo && !isOurs(lostTo) ? await findOnChain(rpc, lostTo) : undefined
  const use = known
    ? { is: 'used' as const, hash: known.hash, at: known.blockNumber }
    : await whoUsed(rpc, wallet, nonce, latest)
  if (use.is !== 'used' || isOurs(use.hash)) return undefined
  const { hash, at } = use
  const { deep, unlike } = await isNonceLost(rpc, { at, hash, by: rpc.host }, network.depth, lookMs)
  return { hash, blockNumber: at, isDeep: deep, ...(unlike && { unlike }) }
}
