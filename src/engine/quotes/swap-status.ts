import type { SwapStatus } from '../../api/swap-status.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { swapStatusOf } from '../../domain/swap-outcome.ts'
import { tokenAt } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import type { ListedQuote } from '../../store/engine/quote-queries.ts'
import type { SwapRefund } from '../../swaps/provider.ts'
import { isSwap, type Tracked } from '../actions/issued-actions.ts'
import { refreshAction } from '../actions/refresh-action.ts'
import type { EngineContext } from '../engine.ts'
import { bitcoinStatus } from './bitcoin-status.ts'
import { findQuote, isRouteInScope, offerOf, providerNamed, routeOf } from './stored-quote.ts'

/** The status of the swap of a quote. Only a quote that begins on Bitcoin has a Bitcoin deposit. */
export async function swapStatus(
  context: EngineContext,
  { id, btcTxHash }: { id: string; btcTxHash?: string | undefined },
): Promise<SwapStatus> {
  const row = await context.store.quoteSummary(context.customer, id)
  if (!row || !isRouteInScope(context, row))
    throw new AppError('QUOTE_NOT_FOUND', `There is no quote "${id}"`)
  const status = await readStatus(context, id, row, btcTxHash)
  if (btcTxHash === undefined || row.originChain === bitcoinNetwork.name) return status
  throw new AppError('DEPOSIT_NOT_FOUND', 'There is no such Bitcoin deposit for this quote', {
    details: { btcTxHash },
  })
}

/** The fields of a quote that its status needs. */
type StatusRow = Pick<QuoteRow, 'provider' | 'originChain' | 'expiresAt' | 'draft' | 'outcome'> &
  Pick<ListedQuote, 'actionId' | 'actionType' | 'told'>

/**
 * Reads the status of the swap of a quote from its chains: the only place that decides it. Every answer about a quote comes from here:
 * the status of one, the list of quotes, and the actions of swaps. An end that no action keeps is kept with the quote, and each change that no action tells
 * is told here.
 */
async function readStatus(
  context: EngineContext,
  id: string,
  row: StatusRow,
  btcTxHash?: string,
): Promise<SwapStatus> {
  const isBitcoin = row.originChain === bitcoinNetwork.name
  const status = isBitcoin
    ? await bitcoinStatus(context, (await findQuote(context, id))!, btcTxHash)
    : await currentStatus(context, id, row)
  if (row.draft === 1 && status.originTxHash !== null) await context.store.listQuote(context.customer, id)
  const { customer, store } = context
  const { actionType, told, outcome } = row
  if (isKept(status.status)) {
    if (status.status !== outcome) await store.keepOutcome(customer, id, status.status, outcome)
    return status
  }
  const hasOwnEvents = isBitcoin || (actionType !== null && !isSwap({ type: actionType }))
  // Its expiry is an event of its own.
  if (hasOwnEvents && status.status !== 'expired' && status.status !== (told ?? 'pending'))
    await store.tellQuoteStatus(customer, id, status.status, told)
  return status
}

/** Whether a status is an end that stays. An expired quote may still be paid late. */
const isKept = (status: string): boolean => ['fulfilled', 'failed', 'refunded'].includes(status)

const dayMs = 24 * 3_600_000

/** How long a list waits for one swap, in ms; what does not answer in time has its last known status. */
const listedWithinMs = 5_000

/**
 * The status of a listed quote: read as for one quote while the swap may still change, which is until a day after its end, or a week
 * after the deadline of a deposit on Bitcoin; the last known one afterwards, and if a chain or provider does not answer in time.
 */
export async function listedStatus(context: EngineContext, row: ListedQuote): Promise<string> {
  if (!mayChange(row, context.now())) return lastKnownStatus(row, context.now())
  const read = await withTimeout(readStatus(context, row.id, row), listedWithinMs).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  return read?.status ?? lastKnownStatus(row, context.now())
}

/** Whether the chains may show another status of a quote than the last known one. */
function mayChange(row: ListedQuote, now: number): boolean {
  if (row.originChain === bitcoinNetwork.name) return row.outcome === null && now < row.expiresAt + 7 * dayMs
  if (row.actionId === null || row.actionStatus === 'fulfilled' || row.actionStatus === 'refunded')
    return false
  return row.finishedAt === null || now < row.finishedAt + dayMs
}

/**
 * The status of the swap of a quote, with both hashes if known. The quote may be the bridge of a deposit. Until its transactions are
 * issued, no chain is asked.
 */
async function currentStatus(context: EngineContext, id: string, row: StatusRow): Promise<SwapStatus> {
  const found = row.actionId === null ? undefined : await refreshAction(context, row.actionId)
  const whole = found && !isSwap(found.action) ? await findQuote(context, id) : undefined
  if (found && whole) return bridgeStatus(context, whole, found)
  const origin = found?.txs.findLast(({ kind }) => kind !== 'fee')
  const status = found
    ? swapStatusOf(found.action.status, origin?.blockNumber ?? null)
    : context.now() > row.expiresAt
      ? 'expired'
      : 'pending'
  const destinationTxHash = found?.action.destinationHash ?? null
  return {
    status,
    originTxHash: origin?.hash ?? null,
    destinationTxHash,
    provider: row.provider,
    ...shortOf({ status, isSent: origin?.succeeded === 1, destinationTxHash }),
    ...(found && origin?.hash && status === 'refunded'
      ? await refundNote(context, id, found, origin.hash as Hex)
      : noteOf(found?.said)),
  }
}

/** States that a swap failed because too little arrived: its own transaction succeeded, and its provider found a payout that is not enough. */
const shortOf = (swap: {
  status: string
  isSent: boolean
  destinationTxHash: string | null
}): Pick<SwapStatus, 'arrivedShort'> =>
  swap.status === 'failed' && swap.isSent && swap.destinationTxHash !== null ? { arrivedShort: true } : {}

/** Returns a note with the refunded amount of a swap; no note if the chain does not answer. */
async function refundNote(
  context: EngineContext,
  id: string,
  { action }: Tracked,
  origin: Hex,
): Promise<Pick<SwapStatus, 'note'>> {
  const row = await findQuote(context, id)
  if (!row) return {}
  const order = { recipient: action.receiver as Address }
  const asked = providerNamed(context, row.provider).status(
    routeOf(context, row),
    offerOf(row),
    origin,
    order,
  )
  const { returned } = (await undefinedIfUnanswered(asked)) ?? {}
  return returned ? { note: returnedText(context, returned) } : {}
}

function returnedText(
  { catalog: { networks, tokens } }: EngineContext,
  { chainId, token, amount, hash }: SwapRefund,
): string {
  const network = networkNamed(networks, chainId)
  const unit = sameAddress(token, nativeAddress) ? network.native : tokenAt(tokens, chainId, token)
  return `Paid back: ${unit ? formatAmount(amount, unit) : `${amount} units of ${token}`} on ${network.name} in ${hash}`
}

/** Returns a note with the provider's own words, if any. */
const noteOf = (said: string | undefined): Pick<SwapStatus, 'note'> =>
  said === undefined ? {} : { note: `The provider says: ${said.slice(0, 200)}` }

/** The status of the bridge in a cross-chain deposit, which is delivered before the deposit is signed. */
async function bridgeStatus(
  context: EngineContext,
  row: QuoteRow,
  { action, txs }: Tracked,
): Promise<SwapStatus> {
  const burn = txs.find(({ kind }) => kind === 'bridge')
  const { provider } = row
  const known = { originTxHash: burn?.hash ?? null, destinationTxHash: null, provider }
  if (!burn?.hash || burn.succeeded === null)
    return { ...known, status: context.now() > row.expiresAt ? 'expired' : 'pending' }
  if (burn.succeeded === 0) return { ...known, status: 'failed' }
  const order = { recipient: action.receiver as Address }
  const route = routeOf(context, row)
  const progress = await providerNamed(context, provider).status(route, offerOf(row), burn.hash as Hex, order)
  const { status, destination = null, said, returned } = progress
  const note = returned ? { note: returnedText(context, returned) } : noteOf(said)
  const short = shortOf({ status, isSent: true, destinationTxHash: destination })
  return { ...known, status, destinationTxHash: destination, ...note, ...short }
}

/** The last known status of the swap of a quote, without asking a chain. */
function lastKnownStatus(row: ListedQuote, now: number): string {
  if (row.outcome !== null) return row.outcome
  const open = now > row.expiresAt ? 'expired' : 'pending'
  if (row.actionId === null || row.actionStatus === null) return open
  if (row.actionType !== null && isSwap({ type: row.actionType }))
    return swapStatusOf(row.actionStatus, row.originBlock) === 'pending' ? open : row.actionStatus
  if (row.bridged === null) return open
  if (row.bridged === 0) return 'failed'
  return row.actionStatus === 'fulfilled' ? 'fulfilled' : 'confirmed'
}
