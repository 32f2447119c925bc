import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/network.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Attempt, Step } from '../../store/operation.ts'
import { ifAnswered } from '../chain/within.ts'
import { lookMs } from '../execution/agreement.ts'
import { isNonceLost } from '../execution/finality.ts'
import { believed } from '../execution/foreign/as-hashed.ts'
import { type NonceUse, type Seen, seenIfSaid, whoUsed } from '../execution/nonce-use.ts'
import { isSame, type Shown } from '../execution/pinned.ts'
import { findOnChain } from '../execution/watch.ts'
import type { Owner } from './facts.ts'

/** How many blocks are looked through one by one: a person waits for the answer. */
const mostBlocks = 100

/** What the journal knows that a step lost its nonce to. */
export type Known = { lostTo?: Hex | undefined }

/** A transaction of the wallet, as far as it is compared. */
type OnChain = Seen & Shown

/** A transaction that has our nonce, as a node shows it. */
type Stranger = Omit<Owner, 'isShown' | 'again'> & { shown: OnChain }

/** What is told of a transaction that has our nonce: also whether it does the same as the step. */
export async function ownerOf(
  rpc: Rpc,
  { role, wallet, transaction, nonce }: Step,
  { shown, ...holder }: Stranger,
  isShown: boolean,
): Promise<Owner> {
  if (role !== 'action' || nonce === null) return { ...holder, isShown }
  // The very same call that cannot be taken for the step is not shown as another one either.
  if (!isShown) return { ...holder, isShown, again: 'maybe' }
  const whose = { wallet, chainId: transaction.chainId, nonce }
  const does = believed(rpc, whose, { ...shown, hash: holder.hash }).then((sure) => isSame(sure, transaction))
  const told = await ifAnswered(does)
  if (told === false) return { ...holder, isShown }
  return { ...holder, isShown, again: told === true ? 'surely' : 'maybe' }
}

/** The transaction that has our nonce and is none of our attempts. */
export async function strangerAt(
  rpc: Rpc,
  network: Network,
  { wallet, nonce, fromBlock }: Step,
  attempts: readonly Attempt[],
  { latest, lostTo }: Known & { latest: number },
): Promise<Stranger | undefined> {
  if (nonce === null) return undefined
  const isOurs = (hash: string) => attempts.some((attempt) => sameAddress(attempt.hash, hash))
  if (latest <= nonce) {
    const waits = await seenIfSaid<OnChain & { hash: Hex }>(rpc, wallet, nonce)
    return waits?.hash && !waits.blockNumber && !isOurs(waits.hash)
      ? { hash: waits.hash, blockNumber: null, isDeep: false, shown: waits }
      : undefined
  }
  const known = lostTo && !isOurs(lostTo) ? await minedAs(rpc, lostTo, { wallet, nonce }) : undefined
  const use =
    known ?? (await whoUsed<OnChain>(rpc, wallet, nonce, { latest, from: fromBlock ?? 0, most: mostBlocks }))
  if (use.is !== 'used' || isOurs(use.transaction.hash)) return undefined
  const { hash } = use.transaction
  const { deep, unlike } = await isNonceLost(rpc, { at: use.at, hash, by: rpc.host }, network.depth, lookMs)
  return {
    hash,
    blockNumber: use.at,
    isDeep: deep,
    ...(unlike && { unlike }),
    shown: use.transaction,
  }
}

/** The same of what the journal says that the nonce was lost to, where it is on the chain now: no search is needed for it. */
async function minedAs(
  rpc: Rpc,
  hash: Hex,
  { wallet, nonce }: { wallet: Address; nonce: number },
): Promise<NonceUse<OnChain> | undefined> {
  const [found, shown] = await Promise.all([
    findOnChain(rpc, hash),
    rpc.request<(OnChain & { from?: string; nonce?: string }) | null>('eth_getTransactionByHash', [hash]),
  ])
  if (!found || !shown || !sameAddress(String(shown.from), wallet) || Number(shown.nonce) !== nonce)
    return undefined
  return { is: 'used', transaction: { ...shown, hash }, at: found.blockNumber }
}
