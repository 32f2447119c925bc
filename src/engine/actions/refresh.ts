import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine-rows.ts'
import type { Chain } from '../chain.ts'
import type { Context } from '../context.ts'
import { onceEach } from '../once-each.ts'
import { offerOf, providerNamed, quoteRow, routeOf } from '../stored-quote.ts'
import { findTransactions, type SoFar, soFar } from './find.ts'
import { type Evidence, isOver, nextState, type Seen, type State, transitions } from './states.ts'
import { actionRow, isSwap, type Tracked, waysOf } from './track.ts'

/** An operation brought up to date with its chains; of a quote that was handed out in several ways, the one that counts. */
export async function tracked(context: Context, id: string): Promise<Tracked | undefined> {
  const found = await actionRow(context, id)
  if (!found) return found
  const ways = await waysOf(context, found)
  const known = ways.find(({ action }) => action.status === 'fulfilled')
  const now: Tracked[] = []
  for (const way of known ? [known] : ways) now.push(await broughtUp(context, way))
  const counts = now.reduce((best, way) => (farther(way) >= farther(best) ? way : best))
  return { ...counts, action: { ...counts.action, id: found.action.id } }
}

/** How far what was handed out has come: its swap was done, is sent, has reverted, or only something before it is there. */
function farther({ txs }: Tracked): number {
  const call = txs.findLast(({ kind }) => kind !== 'fee')
  if (call?.succeeded === 1) return 4
  if (call?.hash) return call.succeeded === 0 ? 2 : 3
  return txs.some(({ hash }) => hash !== null) ? 1 : 0
}

async function broughtUp(context: Context, found: Tracked): Promise<Tracked> {
  if (isOver(found.action.status as State) && found.action.status !== 'expired')
    return withPayment(context, found)
  const { action } = found
  const txs: ActionTxRow[] = []
  const far = farOf(context, action)
  for (const tx of found.txs) txs.push(await lookAt(context, action, tx, txs, far))
  // What was asked for is done when its action is: the payment of the service is another matter.
  const acting = txs.filter(({ kind }) => kind !== 'fee').filter(isNeeded)
  const seen = await Promise.all(acting.map((tx) => depthOf(context, tx)))
  const { delivered, destination, pastDeadline } = await delivery(context, action, acting, seen)
  const status = nextState(action.status as State, { seen, pastDeadline, delivered })
  if (status === action.status && destination === action.destinationHash) return { action, txs }
  if (status !== action.status && !transitions[action.status as State].includes(status))
    throw new AppError('BUG', `An operation cannot go from ${action.status} to ${status}`, {
      details: { id: action.id },
    })
  const moved = {
    ...action,
    status,
    destinationHash: destination,
    updatedAt: context.now(),
    finishedAt: isOver(status) ? context.now() : null,
  }
  await context.store.moveAction(moved)
  return { action: moved, txs }
}

/** An approval that is not there was given in another way, once a call that comes after it on its chain was carried out. */
const isNeeded = (tx: ActionTxRow, at: number, all: readonly ActionTxRow[]): boolean =>
  tx.blockNumber !== null ||
  !tx.kind.startsWith('approve') ||
  !all.slice(at + 1).some(({ chainId, succeeded }) => chainId === tx.chainId && succeeded === 1)

/** How far the wallet of an operation is on a chain: asked for once in a look at all its transactions. */
type Far = (chainId: number) => Promise<SoFar>

const farOf = (context: Context, { wallet }: ActionRow): Far =>
  onceEach((chainId) => soFar(context.chain(chainId), wallet as Address))

/** An operation that is fulfilled, with a payment that may have come later, or an approval that was seen only after its call. */
async function withPayment(context: Context, { action, txs }: Tracked): Promise<Tracked> {
  const now: ActionTxRow[] = []
  const far = farOf(context, action)
  for (const tx of txs) {
    const isLate = tx.kind === 'fee' || tx.hash !== null
    const isOpen = action.status === 'fulfilled' && tx.succeeded === null && isLate
    now.push(isOpen ? await lookAt(context, action, tx, now, far) : tx)
  }
  return { action, txs: now }
}

type Receipt = { status: Hex; blockNumber: Hex; blockHash: Hex; gasUsed: Hex }

/** Where a transaction is: its receipt if it is in a block that is still part of the chain, and its nonce if the node knows it. */
async function whereIs({ rpc }: Chain, hash: Hex): Promise<{ receipt?: Receipt; nonce?: number }> {
  const [receipt, sent] = (await rpc.batch([
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getTransactionByHash', [hash]],
  ])) as [Receipt | null, { nonce: Hex } | null]
  const block =
    receipt && (await rpc.request<{ hash: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false]))
  return {
    ...(receipt && block?.hash === receipt.blockHash && { receipt }),
    ...(sent && { nonce: Number(sent.nonce) }),
  }
}

/** One transaction as the chain shows it now: found, still there, replaced, or gone again after a reorganisation. */
async function lookAt(
  context: Context,
  action: ActionRow,
  tx: ActionTxRow,
  before: readonly ActionTxRow[],
  far: Far,
): Promise<ActionTxRow> {
  const chain = context.chain(tx.chainId)
  const told = tx.hash === null ? {} : await whereIs(chain, tx.hash as Hex)
  // What is in no block may have been replaced, or sent again after it was lost.
  const found = told.receipt ? undefined : await search(context, far, action, tx, before, told.nonce)
  const hash = found ?? tx.hash
  if (hash === null) return tx
  const { receipt, nonce = tx.nonce } = found === undefined ? told : await whereIs(chain, found)
  const seen = receipt
    ? {
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        succeeded: Number(receipt.status),
        gasUsed: BigInt(receipt.gasUsed).toString(),
      }
    : { blockNumber: null, blockHash: null, succeeded: null, gasUsed: null }
  const now = { ...tx, hash, nonce, ...seen }
  if (JSON.stringify(now) !== JSON.stringify(tx)) await context.store.saveTx(now)
  return now
}

/**
 * The hash of a transaction that nobody told us, found by sender, nonce and calldata; not one that another operation has.
 * With a nonce, only what took that nonce.
 */
async function search(
  { store, chain }: Context,
  far: Far,
  action: ActionRow,
  tx: ActionTxRow,
  before: readonly ActionTxRow[],
  nonce?: number,
): Promise<Hex | undefined> {
  const last = Math.max(
    tx.fromNonce - 1,
    ...before.filter(({ chainId }) => chainId === tx.chainId).map((earlier) => earlier.nonce ?? -1),
  )
  const wanted = {
    wallet: action.wallet as Address,
    to: tx.recipient,
    data: tx.data,
    value: BigInt(tx.value),
    fromBlock: tx.fromBlock,
    fromNonce: tx.fromNonce,
  }
  for (const found of await findTransactions(chain(tx.chainId), wanted, await far(tx.chainId))) {
    const may = nonce === undefined ? Number(found.nonce) > last : Number(found.nonce) === nonce
    if (!may) continue
    const mine = (await store.claim(tx, found.hash)) as Hex | null
    if (mine !== null && mine !== tx.hash) return mine
  }
  return undefined
}

async function depthOf(context: Context, tx: ActionTxRow): Promise<Seen> {
  if (tx.blockNumber === null) return 'none'
  if (tx.succeeded === 0) return 'reverted'
  const head = Number(await context.chain(tx.chainId).rpc.request<Hex>('eth_blockNumber'))
  return head - tx.blockNumber + 1 >= networkNamed(context.catalog.networks, tx.chainId).depth
    ? 'final'
    : 'included'
}

type Delivery = Pick<Evidence, 'delivered' | 'pastDeadline'> & { destination: string | null }

/** Where a swap is after its origin transaction: only a swap is delivered elsewhere, and only its quote has a deadline. */
async function delivery(
  context: Context,
  action: ActionRow,
  txs: readonly ActionTxRow[],
  seen: readonly Seen[],
): Promise<Delivery> {
  const isQuoted = isSwap(action)
  const row = isQuoted && action.quoteId ? await quoteRow(context, action.quoteId) : undefined
  const origin = txs.at(-1)?.hash as Hex | null | undefined
  const pastDeadline = row !== undefined && context.now() > row.expiresAt
  if (!row || !origin || !seen.every((one) => one === 'final'))
    return { delivered: isQuoted ? 'no' : 'not-needed', destination: action.destinationHash, pastDeadline }
  const progress = await providerNamed(context, row.provider).status(
    routeOf(context, row),
    offerOf(row),
    origin,
    { recipient: action.receiver as Address },
  )
  const delivered = {
    confirmed: 'no',
    processing: 'processing',
    fulfilled: 'yes',
    failed: 'failed',
    refunded: 'refunded',
  } as const
  return { delivered: delivered[progress.status], destination: progress.destination ?? null, pastDeadline }
}
