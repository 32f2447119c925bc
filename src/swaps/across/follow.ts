import { askNumber } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../chain/finality/received-token-amount.ts'
import { readHeader, timeOf } from '../../chain/head.ts'
import { blockTime, findLatestLog, maxClockDifferenceMs } from '../../chain/latest-log.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { wrappedOn } from '../../domain/token.ts'
import {
  type AwaitedTransfer,
  awaitRead,
  type BridgeDelivery,
  type DeliveryContext,
  initialDelivery,
} from '../bridge-delivery.ts'
import { spokePoolAbi as abi, filledStatus } from './abi.ts'
import type { AcrossConstants } from './constants-schema.ts'
import {
  type Deposit,
  depositIn,
  filledAmountIn,
  fillQuery,
  maxRefundTransfers,
  refundAmountIn,
  refundQuery,
  relayHash,
} from './deposit-and-payout-events.ts'
import { acrossOn } from './pairs.ts'

/**
 * Follows a deposit of Across on both chains, without a service: the deposit in its receipt, the fill in the state and events of the
 * destination pool, and the refund in the events of the origin pool.
 */
export async function followDeposit(
  { rpc, catalog }: DeliveryContext,
  { sent, arrival }: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> {
  const origin = rpc(sent.transaction.chainId)
  const destination = rpc(arrival.chainId)
  const [here, there] = [sent.transaction.chainId, arrival.chainId].map((id) => acrossOn(catalog, id))
  const [receipt, sentAt] = await Promise.all([
    awaitRead(findTransaction(origin, sent.hash)),
    blockTime(origin, sent.blockNumber),
  ])
  const deposit = receipt?.ok && here ? depositIn(receipt.logs, here) : undefined
  const known = initialDelivery('deposit', sentAt)
  if (!deposit || !here || !there) return { ...known, isDelivered: undefined, brought: undefined }
  const since = ((sentAt ?? 0) - maxClockDifferenceMs) / 1_000
  const look = async (hash: Hex): Promise<BridgeDelivery['brought']> => {
    const found = await awaitRead(findTransaction(destination, hash))
    const paid = found?.ok ? filledAmountIn(found.logs, there.spokePool, deposit) : undefined
    if (!found || paid === undefined) return undefined
    // The pool pays the wrapped coin to accounts without code as the coin, which no event of a token shows.
    const wrapped = wrappedOn(catalog, arrival.chainId)
    if (wrapped && sameAddress(wrapped, arrival.token)) return { found, amount: paid, alike: undefined }
    // Use the amount of the event, limited by the token's transfers.
    const arrived = receivedTokenAmount(found, arrival)
    return { found, amount: arrived < paid ? arrived : paid, alike: undefined }
  }
  const named = reportedHash === null ? undefined : await look(reportedHash)
  const state = named ? { isFilled: true, isPast: false } : await awaitRead(stateOf(rpc, there, deposit))
  const fill =
    state?.isFilled && !named ? await awaitRead(latest(fillQuery(there.spokePool, deposit))) : undefined
  const brought = named ?? (fill && (await look(fill.transactionHash)))
  const isPast = state?.isPast === true && !state.isFilled
  const refunds = isPast ? await refundsOf() : []
  return {
    ...known,
    isDelivered: brought ? true : state?.isFilled,
    brought,
    expiry: { at: deposit.fillDeadline, isPast, amount: deposit.inputAmount, refunds },
  }

  function latest(query: ReturnType<typeof fillQuery>) {
    return findLatestLog(destination, query, since)
  }

  /** The transactions since then that refunded at least the deposit. */
  async function refundsOf(): Promise<NonNullable<BridgeDelivery['expiry']>['refunds']> {
    const hashes = new Set<Hex>()
    const note = ({ data, transactionHash }: { data: Hex; transactionHash: Hex }): boolean => {
      if (quantity(data, 'an amount that was paid back') >= deposit!.inputAmount) hashes.add(transactionHash)
      return hashes.size >= maxRefundTransfers
    }
    await awaitRead(findLatestLog(origin, refundQuery(here!.spokePool, deposit!), since, undefined, note))
    const mined = await Promise.all([...hashes].map((hash) => awaitRead(findTransaction(origin, hash))))
    return mined.toReversed().flatMap((found) => {
      // A refund in an earlier block belongs to another deposit.
      const isLater = found?.ok && found.blockNumber >= sent.blockNumber
      const paid = isLater ? refundAmountIn(found.logs, here!.spokePool, deposit!) : undefined
      return found && paid !== undefined ? [{ found, paid }] : []
    })
  }
}

/** Whether a deposit is filled, and whether its deadline has passed, at the newest block of its destination. */
async function stateOf(
  rpc: DeliveryContext['rpc'],
  { chainId, spokePool }: AcrossConstants,
  deposit: Deposit,
): Promise<{ isFilled: boolean; isPast: boolean }> {
  const node = rpc(chainId)
  // Read the time first: a deposit that is unfilled after its deadline stays unfilled.
  const block = await readHeader(node, 'latest')
  const status = contract(spokePool, abi)<bigint>('fillStatuses', relayHash(deposit))
  const state = await askNumber(node, status, 'the state of a deposit')
  const now = timeOf(block)
  return { isFilled: state === filledStatus, isPast: now > deposit.fillDeadline }
}
