import type { SwapStatus } from '../../api/swap-status.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { tokenAt } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import type { ListedQuote } from '../../store/engine/quote-queries.ts'
import type { SwapRefund } from '../../swaps/provider.ts'
import { isSwap, type Tracked } from '../actions/issued-actions.ts'
import { refreshAction } from '../actions/refresh-action.ts'
import type { EngineContext } from '../engine-context-types.ts'
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
  if (row.originChain === bitcoinNetwork.name)
    return bitcoinStatus(context, (await findQuote(context, id))!, btcTxHash)
  const status = await currentStatus(context, id, row)
  if (btcTxHash === undefined) return status
  throw new AppError('DEPOSIT_NOT_FOUND', 'There is no such Bitcoin deposit for this quote', {
    details: { btcTxHash },
  })
}

/**
 * The status of the swap of a quote, with both hashes if known. The quote may be the bridge of a deposit. Until its transactions are
 * issued, no chain is asked.
 */
async function currentStatus(
  context: EngineContext,
  id: string,
  row: Pick<QuoteRow, 'provider' | 'expiresAt'> & { actionId: string | null },
): Promise<SwapStatus> {
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

/**
 * The status of a swap. A mined approval changes the status of its action, but the swap is `pending` until its own
 * transaction is in a block.
 */
const swapStatusOf = (status: string, originBlock: number | null): string =>
  status === 'confirmed' && originBlock === null ? 'pending' : status

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
export function lastKnownStatus(row: ListedQuote, now: number): string {
  const open = now > row.expiresAt ? 'expired' : 'pending'
  if (row.actionId === null || row.actionStatus === null) return open
  if (row.actionType !== null && isSwap({ type: row.actionType }))
    return swapStatusOf(row.actionStatus, row.originBlock) === 'pending' ? open : row.actionStatus
  if (row.bridged === null) return open
  if (row.bridged === 0) return 'failed'
  return row.actionStatus === 'fulfilled' ? 'fulfilled' : 'confirmed'
}
