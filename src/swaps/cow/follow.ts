import { askNumber } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../chain/finality/received-token-amount.ts'
import { readHeader, timeOf } from '../../chain/head.ts'
import { blockTime, findLatestLog, maxClockDifferenceMs } from '../../chain/latest-log.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { networkNamed } from '../../domain/networks.ts'
import {
  type AwaitedTransfer,
  awaitRead,
  type BridgeDelivery,
  type DeliveryContext,
  initialDelivery,
} from '../bridge-delivery.ts'
import { settlementAbi as abi } from './abi.ts'
import { boughtAmount, fillQuery, preSignedUid } from './fill.ts'
import { orderEnd, partsOfUid } from './order.ts'

/** The state of an order at a block: whether it is filled, and why it can no longer be filled. */
type OrderState = { isFilled: boolean; why: 'expired' | 'cancelled' | undefined }

/**
 * Follows an order of CoW Protocol on its chain, without the service: the order in its pre-signature's receipt, the fill in the state and
 * events of the settlement.
 */
export async function followOrder(
  { rpc, catalog }: DeliveryContext,
  { sent, arrival }: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> {
  const { chainId, to: settlement } = sent.transaction
  const node = rpc(chainId)
  const [receipt, sentAt] = await Promise.all([
    awaitRead(findTransaction(node, sent.hash)),
    blockTime(node, sent.blockNumber),
  ])
  const uid = receipt?.ok ? preSignedUid(receipt.logs, settlement) : undefined
  const known = initialDelivery('order', sentAt)
  const order = uid && partsOfUid(uid)
  if (!uid || !order) return { ...known, isDelivered: undefined, brought: undefined }
  const look = async (hash: Hex): Promise<BridgeDelivery['brought']> => {
    const found = await awaitRead(findTransaction(node, hash))
    // A fill before the signature was for an earlier signature.
    const isLater = found?.ok && found.blockNumber >= sent.blockNumber
    const bought = isLater ? boughtAmount(found.logs, settlement, uid) : undefined
    if (!found || bought === undefined) return undefined
    // Use the amount of the event, limited by the token's transfers.
    const arrived = receivedTokenAmount(found, arrival)
    return { found, amount: arrived < bought ? arrived : bought, alike: undefined }
  }
  const expiry = { at: order.validTo, isPast: false, amount: 0n, refunds: [] }
  const named = reportedHash === null ? undefined : await look(reportedHash)
  if (named) return { ...known, isDelivered: true, brought: named, expiry }
  const now = await awaitRead(stateNow())
  if (!now) return { ...known, isDelivered: undefined, brought: undefined, expiry }
  if (!now.isFilled)
    return {
      ...known,
      isDelivered: false,
      brought: undefined,
      expiry,
      ...(now.unfilled && { unfilled: now.unfilled }),
    }
  const since = ((sentAt ?? 0) - maxClockDifferenceMs) / 1_000
  let brought: BridgeDelivery['brought']
  const hashes: Hex[] = []
  const note = ({ data, transactionHash }: { data: Hex; transactionHash: Hex }): boolean => {
    // The uid is the last field of the event.
    if (data.toLowerCase().includes(uid.slice(2).toLowerCase())) hashes.push(transactionHash)
    return hashes.length > 0
  }
  await awaitRead(findLatestLog(node, fillQuery(settlement, uid), since, undefined, note))
  for (const hash of hashes) brought ??= await look(hash)
  return { ...known, isDelivered: true, brought, expiry }

  /** The state at the newest block. An expiry or cancellation is final once it also holds at the final depth. */
  async function stateNow() {
    const block = await readHeader(node, 'latest')
    const head = Number(quantity(block?.number, 'the number of a block'))
    // A node behind the pre-signature does not know the order yet.
    if (head < sent.blockNumber) return undefined
    const newest = await stateAt(node, { settlement, uid: uid!, validTo: order!.validTo }, head)
    if (newest.isFilled || !newest.why) return { isFilled: newest.isFilled }
    const { depth } = networkNamed(catalog.networks, chainId)
    const old = head - depth + 1
    const then =
      old < sent.blockNumber
        ? undefined
        : await stateAt(node, { settlement, uid: uid!, validTo: order!.validTo }, old)
    return { isFilled: false, unfilled: { why: newest.why, missing: then?.why ? 0 : depth } }
  }
}

async function stateAt(
  node: ChainClient,
  { settlement, uid, validTo }: { settlement: Address; uid: Hex; validTo: number },
  at: number,
): Promise<OrderState> {
  const order = contract(settlement, abi)
  const state = (name: string) =>
    askNumber(node, order<bigint>(name, uid), 'the state of an order', BigInt(at))
  const block = await readHeader(node, at)
  const time = timeOf(block)
  const [filled, signed] = [await state('filledAmount'), await state('preSignature')]
  const end = orderEnd(filled, signed, time > validTo)
  return { isFilled: end === 'filled', why: end === 'cancelled' || end === 'expired' ? end : undefined }
}
