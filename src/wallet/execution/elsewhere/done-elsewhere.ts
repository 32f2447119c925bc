import type { Address, Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import { networkNamed } from '../../../domain/network-named.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import { wait } from '../../../net/patience.ts'
import { hexQuantity, quantity } from '../../../net/quantity.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Elsewhere, Journal } from '../../../store/journal-words.ts'
import { blockNumber } from '../../chain/block-number.ts'
import { pauses } from '../../chain/patient.ts'
import { ifAnswered } from '../../chain/within.ts'
import type { Ground } from '../../ground.ts'
import { wantedOf } from '../finality.ts'
import { deepest, type NonceUse, type Seen, whoUsedEach } from '../nonce-use.ts'
import { refuseBroken, type Shown } from '../pinned.ts'
import type { Depth } from '../run.ts'
import { believed } from './as-hashed.ts'
import { becameOf, unsettled } from './became.ts'
import { isLike } from './like.ts'
import { isOwn, notOwn } from './own.ts'

/** A transaction of the wallet, as far as it is compared. */
export type OnChain = Seen & Shown

/**
 * Where it is asked; `onUnknown` hears of nonces whose transactions a node does not show, which says nothing of what they did, and `onLooked` by which
 * count of the wallet's transactions it was looked: what came after that, or was hidden from it, is for who takes a nonce. `pause` waits so many ms; `false` where there is no time.
 */
type Asked = Pick<Ground, 'rpc' | 'journal'> & {
  catalog: Pick<Ground['catalog'], 'networks'>
  depth?: Depth | undefined
  onLooked?: (chainId: number, latest: number) => void
  onUnknown?: (chainId: number, nonces: readonly number[]) => void
  pause?: (ms: number) => Promise<unknown>
}

/**
 * The transaction of a wallet that did already what is about to be signed, and of which this journal knows nothing: it
 * was signed elsewhere, or by this journal before an older copy of it was put back. The same call counts, to, value and
 * data, and of a swap one with the same `exact` amount that differs in as little as a deadline and a minimum. Not found is what a node cannot tell, or what was
 * sent before this journal first signed for the wallet. `above` leaves out nonces up to it; `lost` are those that another transaction used,
 * which are looked at all the same.
 */
export async function doneElsewhere(
  { rpc, journal, catalog, depth, onUnknown, onLooked, pause = wait }: Asked,
  wallet: Address,
  transactions: readonly Transaction[],
  {
    above = -1,
    exact = [],
    lost = [],
  }: { above?: number; exact?: readonly bigint[]; lost?: readonly number[] } = {},
): Promise<Hex | undefined> {
  for (const transaction of transactions) {
    const { chainId } = transaction
    const node = rpc(chainId)
    // First the chain, then the journal: what is on the chain is in the journal of whoever sent it long before.
    const latest = Number(
      quantity(await node.request('eth_getTransactionCount', [wallet, 'latest']), 'the nonce'),
    )
    onLooked?.(chainId, latest)
    const since = journal.foreignNonces(wallet, transaction, latest).filter((nonce) => nonce > above)
    const where = { journal, node, chainId, wallet, latest }
    const nonces = [...new Set([...(await notOwn(where, since)), ...lost])]
    if (nonces.length === 0) continue
    const { uses, silence } = await usesInTime(where, nonces, pause)
    for (const nonce of nonces) {
      const use = uses.get(nonce)
      if (use?.is !== 'used' || !isLike(use, transaction, exact)) continue
      if (!lost.includes(nonce) && isOwn(where, nonce, use.hash)) continue
      const usual = networkNamed(catalog.networks, chainId).depth
      const became = await becameOf(node, use.hash, wantedOf(usual, depth))
      if (became === 'done') return use.hash
      if (became !== 'reverted') throw unsettled(use.hash, became)
    }
    // A question that was not answered is no answer, and may be answered the next time.
    if (silence) throw silence
    const unknown = nonces.filter((nonce) => uses.get(nonce)?.is === 'unshown')
    if (unknown.length > 0) onUnknown?.(chainId, unknown)
  }
  return undefined
}

type Where = {
  journal: Journal
  node: Rpc
  chainId: number
  wallet: Address
  latest: number
  isForgotten?: boolean
}

/** Nonces that were used a moment ago, so that they are shown in a moment, and what to say where they are not. */
type Recent = { nonces: readonly number[]; error: AppError }

type Uses = { uses: Map<number, Elsewhere>; silence?: AppError | undefined; recent?: Recent | undefined }

/** What `usesOf` gives, once what was used a moment ago is shown, too: it is waited for as long as a block of the slowest chains takes. */
async function usesInTime(
  where: Where,
  nonces: readonly number[],
  pause: (ms: number) => Promise<unknown>,
): Promise<Omit<Uses, 'recent'>> {
  const { uses, silence, recent } = await usesOf(where, nonces)
  if (silence || !recent) return { uses, silence }
  let open = recent.nonces
  for (const ms of pauses) {
    if ((await pause(ms)) === false) break
    const later = await usesOf({ ...where, isForgotten: true }, open)
    for (const nonce of open) uses.set(nonce, later.uses.get(nonce) ?? { is: 'unshown' })
    open = open.filter((nonce) => uses.get(nonce)?.is === 'unshown')
    if (open.length === 0) return { uses }
  }
  return { uses, silence: recent.error }
}

/**
 * What used nonces, as it is remembered, or shown now. `silence` is why something of it was not answered. What is not shown is not remembered where
 * `isForgotten`: a node that was asked about the newest blocks may only be behind.
 */
export async function usesOf(
  { journal, node, chainId, wallet, latest, isForgotten = false }: Where,
  nonces: readonly number[],
): Promise<Uses> {
  const nodes = [node.host, ...node.peers.map(({ host }) => host)].toSorted().join(' ')
  const uses = journal.elsewhere(chainId, wallet, nodes)
  const open = nonces.filter((nonce) => !uses.has(nonce))
  if (open.length === 0) return { uses }
  const newest = await blockNumber(node)
  const last = journal.lastBlockBelow(chainId, wallet, Math.min(...open))
  const from = last > newest ? 0 : last
  const found = await whoUsedEach<OnChain>(node, wallet, open, { latest, from })
  const lasting: [number, Elsewhere][] = []
  const unknown = [...found].flatMap(([nonce, { is }]) => (is === 'unknown' ? nonce : []))
  const recent = await usedRecently({ node, chainId, wallet }, unknown, newest)
  let silence: AppError | undefined
  for (const [nonce, use] of found) {
    if (use.is === 'unknown') silence ??= use.silence
    if (use.is === 'free') continue
    const seen = await seenAs(node, { wallet, chainId, nonce }, use)
    uses.set(nonce, seen)
    // What a reorganisation may still take away is asked again.
    if (
      use.is === 'unknown'
        ? use.isLookedFor && !silence && !recent && !isForgotten
        : use.at <= newest - deepest
    )
      lasting.push([nonce, seen])
  }
  if (lasting.length > 0) journal.noteElsewhere(chainId, wallet, nodes, lasting)
  return { uses, silence, recent }
}

/** So many of its newest blocks any node shows, and knows the states of. */
const shownByAll = 32

/** What of that which a node does not show is in one of its newest blocks: then another node behind its address has named the count. */
async function usedRecently(
  { node, chainId, wallet }: Pick<Where, 'node' | 'chainId' | 'wallet'>,
  unknown: readonly number[],
  newest: number,
): Promise<Recent | undefined> {
  if (unknown.length === 0 || newest < shownByAll) return undefined
  const said = node.request('eth_getTransactionCount', [wallet, hexQuantity(newest - shownByAll)])
  // A node that does not know older states, or says zero for them, says nothing of when it was.
  const before = await ifAnswered(said.then((count) => Number(quantity(count, 'the nonce'))))
  const nonces = before ? unknown.filter((nonce) => nonce >= before) : []
  const [nonce] = nonces
  if (nonce === undefined) return undefined
  const error = new AppError(
    'RPC_INCONSISTENT',
    `Nonce ${nonce} of ${wallet} was used a moment ago, and the node at ${node.host} does not show by what: it may be this very transaction`,
    { details: { host: node.host, nonce, chainId }, hint: 'Run the same command again: it is shown soon.' },
  )
  return { nonces, error }
}

/** What is to be remembered of what a node shows; a transaction that is not shown whole, or not as its hash says, is RPC_INCONSISTENT. */
async function seenAs(
  node: Rpc,
  whose: { wallet: Address; chainId: number; nonce: number },
  use: Exclude<NonceUse<OnChain>, { is: 'free' }>,
): Promise<Elsewhere> {
  if (use.is !== 'used') return { is: use.is === 'authorised' ? 'authorised' : 'unshown' }
  refuseBroken(use.transaction)
  const { hash, to, input, value } = await believed(node, whose, use.transaction)
  return { is: 'used', hash, to, input, value }
}
