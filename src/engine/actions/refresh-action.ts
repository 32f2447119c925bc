import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { State } from '../../domain/swap-outcome.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine/action-tables.ts'
import { swapProofOf } from '../../swaps/swap-provider-registry.ts'
import type { EngineContext } from '../engine.ts'
import { findQuote, isRouteInScope, offerOf, providerNamed, routeOf } from '../quotes/stored-quote.ts'
import { duplicateSends, retryClientReports } from './client-reports.ts'
import { findIssuedAction, isSwap, issuesOf, type Tracked } from './issued-actions.ts'
import { locateTransaction, refreshTransaction, submittedSearch } from './reconcile-transactions.ts'
import { type ActionEvidence, isEnded, nextState, type TxInclusion, transitions } from './state-machine.ts'
import { readWalletProgress } from './wallet-block-reader.ts'

/** An action with the other transactions sent for it: duplicates, or those of another issue of its quote. */
export type TrackedWithDuplicates = Tracked & { duplicates: ActionTxRow[] }

/**
 * Refreshes an action from its chains. If a quote was issued several times, the issue that succeeded first counts, and transactions of the
 * others are found too.
 */
export async function refreshAction(
  context: EngineContext,
  id: string,
): Promise<TrackedWithDuplicates | undefined> {
  const tracked = await findIssuedAction(context, id)
  if (!tracked) return tracked
  let issues = await issuesOf(context, tracked)
  if (await retryClientReports(context, id, issues))
    issues = await issuesOf(context, (await findIssuedAction(context, id)) ?? tracked)
  const known = firstFulfilled(issues)
  const now: Tracked[] = []
  for (const issue of issues)
    now.push(
      known && issue !== known && !isRecent(context, issue.action)
        ? issue
        : await refreshOperation(context, issue),
    )
  const counted = firstFulfilled(now) ?? now.reduce((best, issue) => (isAhead(issue, best) ? issue : best))
  const others = now
    .filter((issue) => issue !== counted && progressOf(issue) >= swapReverted)
    .flatMap(({ txs }) => txs.filter(({ hash }) => hash !== null))
  const repeats = await duplicateSends(context, id, now)
  return {
    ...counted,
    action: { ...counted.action, id: tracked.action.id },
    duplicates: [...others, ...repeats],
  }
}

/** The issue that was first seen to succeed; of those seen at once, the oldest. */
const firstFulfilled = (issues: readonly Tracked[]): Tracked | undefined =>
  issues
    .filter(({ action }) => action.status === 'fulfilled')
    .toSorted((a, b) => (a.action.finishedAt ?? 0) - (b.action.finishedAt ?? 0))[0]

/** Whether an issue counts before an older one: it has progressed further, or neither has sent its swap. */
const isAhead = (issue: Tracked, older: Tracked): boolean =>
  progressOf(issue) > progressOf(older) ||
  (progressOf(issue) === progressOf(older) && progressOf(issue) < swapReverted)

const swapReverted = 2

/** The progress of an issue: its swap succeeded (4), is sent (3) or reverted (2); only an earlier transaction is sent (1), or none (0). */
function progressOf({ txs }: Tracked): number {
  const call = txs.findLast(({ kind }) => kind !== 'fee')
  if (call?.succeeded === 1) return 4
  if (call?.hash) return call.succeeded === 0 ? 2 : 3
  return txs.some(({ hash }) => hash !== null) ? 1 : 0
}

/** Refreshes one issued action. If another request changed it meanwhile, it is refreshed again, a few times. */
async function refreshOperation(context: EngineContext, tracked: Tracked, tries = 3): Promise<Tracked> {
  if (isEnded(tracked.action.status as State) && !mayStillChange(context, tracked.action))
    return refreshLatePayments(context, tracked)
  const { action } = tracked
  const txs: ActionTxRow[] = []
  const past = submittedSearch(context, tracked)
  for (const tx of tracked.txs) txs.push(await refreshTransaction(context, action, tx, txs, past))
  // An action is done when its own transactions are; the payment of the service does not count.
  const acting = txs.filter(({ kind }) => kind !== 'fee').filter(isNeeded)
  const inclusions = await Promise.all(acting.map((tx) => inclusionOf(context, tx)))
  const { delivery, destination, pastDeadline, said } = await deliveryEvidence(
    context,
    action,
    acting,
    inclusions,
  )
  // A transaction that was not read yet may have been sent in time.
  const isLate = pastDeadline && past.isComplete()
  const status = nextState(action.status as State, {
    inclusions,
    pastDeadline: isLate,
    isCancelled: action.cancelledAt !== null && (await isNothingPending(context, action, acting)),
    delivery,
  })
  const word = said !== undefined && { said }
  if (status === action.status && destination === action.destinationHash) return { action, txs, ...word }
  if (status !== action.status && !transitions[action.status as State].includes(status))
    throw new AppError('BUG', `An action cannot change from ${action.status} to ${status}`, {
      details: { id: action.id },
    })
  const moved = {
    ...action,
    status,
    destinationHash: destination,
    updatedAt: context.now(),
    finishedAt: isEnded(status) ? context.now() : null,
  }
  if (await context.store.moveAction(moved, { action, txs })) {
    // What left the chain is pending before it expires: with the clock past, at once.
    const isNowLate = status === 'pending' && isLate && tries > 1
    return isNowLate
      ? refreshOperation(context, { action: moved, txs }, tries - 1)
      : { action: moved, txs, ...word }
  }
  const fresh = (await context.store.action(context.customer, action.id)) ?? tracked
  return tries > 1 ? refreshOperation(context, fresh, tries - 1) : fresh
}

/**
 * Whether no sent transaction of an action can still be mined: each is in a block, or another used its nonce. That the rest was never
 * sent is the word of the client.
 */
async function isNothingPending(
  context: EngineContext,
  { wallet }: ActionRow,
  txs: readonly ActionTxRow[],
): Promise<boolean> {
  const open = txs.filter(({ hash, blockNumber }) => hash !== null && blockNumber === null)
  const pending = await Promise.all(
    open.map(async (tx) => {
      const chain = context.chain(tx.chainId)
      // A replaced transaction is in no node, and can still be mined until its nonce is used.
      const nonce = tx.nonce ?? (await locateTransaction(chain, tx.hash as Hex)).nonce
      return nonce === undefined || (await readWalletProgress(chain, wallet as Address)).count <= nonce
    }),
  )
  return !pending.includes(true)
}

const dayMs = 24 * 3_600_000

/** Whether an ended action may still change: a missing transaction may appear, and a reverted one may be reorganised or sent again. */
const mayStillChange = (context: EngineContext, action: ActionRow): boolean =>
  action.status === 'expired' || (action.status === 'failed' && isRecent(context, action))

/** Whether an action is open, or ended at most a day ago. */
const isRecent = ({ now }: EngineContext, { finishedAt }: ActionRow): boolean =>
  finishedAt === null || now() - finishedAt < dayMs

/**
 * Whether an action still needs a transaction. A missing approval is not needed once a later call on its chain
 * succeeded, because the allowance existed.
 */
const isNeeded = (tx: ActionTxRow, at: number, all: readonly ActionTxRow[]): boolean =>
  tx.blockNumber !== null ||
  !tx.kind.startsWith('approve') ||
  !all.slice(at + 1).some(({ chainId, succeeded }) => chainId === tx.chainId && succeeded === 1)

/** Refreshes a fulfilled action whose payment came later, or whose approval was seen after its call. */
async function refreshLatePayments(context: EngineContext, { action, txs }: Tracked): Promise<Tracked> {
  const now: ActionTxRow[] = []
  const past = submittedSearch(context, { action, txs })
  for (const tx of txs) {
    const isLate = tx.kind === 'fee' || tx.hash !== null
    const isOpen = action.status === 'fulfilled' && tx.succeeded === null && isLate
    now.push(isOpen ? await refreshTransaction(context, action, tx, now, past) : tx)
  }
  return { action, txs: now }
}

async function inclusionOf(context: EngineContext, tx: ActionTxRow): Promise<TxInclusion> {
  if (tx.blockNumber === null) return 'none'
  if (tx.succeeded === 0) return 'reverted'
  const head = Number(await context.chain(tx.chainId).rpc.request<Hex>('eth_blockNumber'))
  return head - tx.blockNumber + 1 >= networkNamed(context.catalog.networks, tx.chainId).depth
    ? 'final'
    : 'included'
}

type DeliveryEvidence = Pick<ActionEvidence, 'delivery' | 'pastDeadline'> & {
  destination: string | null
  said?: string
}

/** The delivery of a swap after its origin transaction. Only a swap is delivered elsewhere, and only its quote has a deadline. */
async function deliveryEvidence(
  context: EngineContext,
  action: ActionRow,
  txs: readonly ActionTxRow[],
  inclusions: readonly TxInclusion[],
): Promise<DeliveryEvidence> {
  const isQuoted = isSwap(action)
  const { quoteId } = action
  const quoted = isQuoted && quoteId ? await context.store.quoteSummary(context.customer, quoteId) : undefined
  const known = quoted && isRouteInScope(context, quoted) ? quoted : undefined
  const origin = txs.at(-1)?.hash as Hex | null | undefined
  const pastDeadline = known !== undefined && context.now() > known.expiresAt
  const isSent = known && origin && inclusions.every((one) => one === 'final')
  const row = isSent && quoteId ? await findQuote(context, quoteId) : undefined
  if (!row || !origin)
    return { delivery: isQuoted ? 'no' : 'not-needed', destination: action.destinationHash, pastDeadline }
  const progress = await providerNamed(context, row.provider).status(
    routeOf(context, row),
    offerOf(row),
    origin,
    { recipient: action.receiver as Address },
  )
  // A ramp's payment names no ramp, so a payment that another action of the same customer already has does not count
  // for this one.
  const isAnothers =
    progress.destination !== undefined &&
    swapProofOf(row.provider)?.minimum === 'none' &&
    (await context.store.isDeliveryOfAnother(context.customer, action.id, progress.destination))
  if (isAnothers) return { delivery: 'processing', destination: null, pastDeadline }
  const states = {
    confirmed: 'no',
    processing: 'processing',
    fulfilled: 'yes',
    failed: 'failed',
    refunded: 'refunded',
  } as const
  const { status, destination = null, said } = progress
  return { delivery: states[status], destination, pastDeadline, ...(said !== undefined && { said }) }
}
