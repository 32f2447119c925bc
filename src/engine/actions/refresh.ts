import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine/migrations.ts'
import type { Context } from '../context.ts'
import { offerOf, providerNamed, quoteRow, routeOf } from '../quotes/stored-quote.ts'
import { lookAt, pastOf } from './chain-evidence.ts'
import { besides, toldBefore } from './client-reports.ts'
import { type Evidence, isOver, nextState, type Seen, type State, transitions } from './state-machine.ts'
import { actionRow, isSwap, type Tracked, waysOf } from './tracking.ts'

/** An operation with what else was sent of it: once more, or by whoever took its quote in another way. */
export type TrackedWhole = Tracked & { others: ActionTxRow[] }

/**
 * An operation brought up to date with its chains; of a quote that was handed out in several ways, the one that counts. That is the one
 * that was carried out first, and what is sent in another way is found all the same.
 */
export async function tracked(context: Context, id: string): Promise<TrackedWhole | undefined> {
  const found = await actionRow(context, id)
  if (!found) return found
  let ways = await waysOf(context, found)
  if (await toldBefore(context, id, ways))
    ways = await waysOf(context, (await actionRow(context, id)) ?? found)
  const known = firstDone(ways)
  const now: Tracked[] = []
  for (const way of ways)
    now.push(known && way !== known && !isRecent(context, way.action) ? way : await broughtUp(context, way))
  const counts = firstDone(now) ?? now.reduce((best, way) => (isAhead(way, best) ? way : best))
  const others = now
    .filter((way) => way !== counts && farther(way) >= swapSent)
    .flatMap(({ txs }) => txs.filter(({ hash }) => hash !== null))
  const again = await besides(context, id, now)
  return { ...counts, action: { ...counts.action, id: found.action.id }, others: [...others, ...again] }
}

/** The way that was seen first to be carried out; of those seen at once, the oldest. */
const firstDone = (ways: readonly Tracked[]): Tracked | undefined =>
  ways
    .filter(({ action }) => action.status === 'fulfilled')
    .toSorted((a, b) => (a.action.finishedAt ?? 0) - (b.action.finishedAt ?? 0))[0]

/** Whether a way counts before an older one: it has come farther, or of neither the swap is sent. */
const isAhead = (way: Tracked, older: Tracked): boolean =>
  farther(way) > farther(older) || (farther(way) === farther(older) && farther(way) < swapSent)

const swapSent = 2

/** How far what was handed out has come: its swap was done, is sent, has reverted, or only something before it is there. */
function farther({ txs }: Tracked): number {
  const call = txs.findLast(({ kind }) => kind !== 'fee')
  if (call?.succeeded === 1) return 4
  if (call?.hash) return call.succeeded === 0 ? 2 : 3
  return txs.some(({ hash }) => hash !== null) ? 1 : 0
}

/** An operation as the chains show it now. What another request has changed meanwhile is looked at again, a few times. */
async function broughtUp(context: Context, found: Tracked, tries = 3): Promise<Tracked> {
  if (isOver(found.action.status as State) && !mayComeBack(context, found.action))
    return withPayment(context, found)
  const { action } = found
  const txs: ActionTxRow[] = []
  const past = pastOf(context, found)
  for (const tx of found.txs) txs.push(await lookAt(context, action, tx, txs, past))
  // What was asked for is done when its action is: the payment of the service is another matter.
  const acting = txs.filter(({ kind }) => kind !== 'fee').filter(isNeeded)
  const seen = await Promise.all(acting.map((tx) => depthOf(context, tx)))
  const { delivered, destination, pastDeadline } = await delivery(context, action, acting, seen)
  // What is not read yet may have been sent in time.
  const isLate = pastDeadline && past.isAll()
  const status = nextState(action.status as State, { seen, pastDeadline: isLate, delivered })
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
  if (await context.store.moveAction(moved, { action, txs })) return { action: moved, txs }
  const fresh = (await context.store.action(context.customer, action.id)) ?? found
  return tries > 1 ? broughtUp(context, fresh, tries - 1) : fresh
}

const aDay = 24 * 3_600_000

/** What was not there may still come, and what reverted be undone by the chain, or sent again: so long it is looked for. */
const mayComeBack = (context: Context, action: ActionRow): boolean =>
  action.status === 'expired' || (action.status === 'failed' && isRecent(context, action))

/** Whether it goes on, or ended a day ago at most. */
const isRecent = ({ now }: Context, { finishedAt }: ActionRow): boolean =>
  finishedAt === null || now() - finishedAt < aDay

/** An approval that is not there was given in another way, once a call that comes after it on its chain was carried out. */
const isNeeded = (tx: ActionTxRow, at: number, all: readonly ActionTxRow[]): boolean =>
  tx.blockNumber !== null ||
  !tx.kind.startsWith('approve') ||
  !all.slice(at + 1).some(({ chainId, succeeded }) => chainId === tx.chainId && succeeded === 1)

/** An operation that is fulfilled, with a payment that may have come later, or an approval that was seen only after its call. */
async function withPayment(context: Context, { action, txs }: Tracked): Promise<Tracked> {
  const now: ActionTxRow[] = []
  const past = pastOf(context, { action, txs })
  for (const tx of txs) {
    const isLate = tx.kind === 'fee' || tx.hash !== null
    const isOpen = action.status === 'fulfilled' && tx.succeeded === null && isLate
    now.push(isOpen ? await lookAt(context, action, tx, now, past) : tx)
  }
  return { action, txs: now }
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
