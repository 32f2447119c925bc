import { decodeTransfer } from '../../chain/erc20.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { blockTime, findLatestLog } from '../../chain/latest-log.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import {
  type AwaitedTransfer,
  awaitRead,
  type BridgeDelivery,
  type DeliveryContext,
  initialDelivery,
} from '../bridge-delivery.ts'
import { paymentQuery, paymentsIn } from './desk-transfers-in-logs.ts'
import { aveniaOn, currencyOf } from './pairs.ts'

/** The maximum number of payments of the desk to a wallet that are checked. */
const mostPayments = 20

/** Whether a transaction sends a ramp token to the desk of its chain. */
export function isSentToDesk(catalog: Pick<Catalog, 'swaps'>, transaction: Transaction): boolean {
  const here = aveniaOn(catalog, transaction.chainId)
  if (!here || !currencyOf(here, transaction.to)) return false
  return sameAddress(decodeTransfer(transaction)?.to ?? '', here.desk)
}

/**
 * Follows a ramp on its chain, without the service: later payments of the desk to the wallet, in the other token or, as a refund, in the
 * sent one. No event names its ticket, so it returns all payments, and the one in the transaction `reportedHash`.
 */
export async function followRamp(
  { rpc, catalog }: DeliveryContext,
  { sent, arrival }: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> {
  const { chainId, to: token } = sent.transaction
  const { desk } = aveniaOn(catalog, chainId)!
  const node = rpc(chainId)
  const sentAt = await blockTime(node, sent.blockNumber)
  const out = { token: arrival.token, desk, to: arrival.recipient }
  const known = initialDelivery('desk', sentAt)
  const named = reportedHash === null ? [] : await paymentsOf(reportedHash, out)
  const [payments, refunds] = await Promise.all([
    awaitRead(paid(out)),
    awaitRead(paid({ token, desk, to: sent.wallet })),
  ])
  const amount = decodeTransfer(sent.transaction)?.amount ?? 0n
  return {
    ...known,
    isDelivered: named[0] ? true : payments && false,
    brought: named[0],
    payments: payments ?? named,
    ...(refunds && {
      expiry: {
        at: 0,
        isPast: refunds.length > 0,
        amount,
        refunds: refunds.map(({ found, amount: back }) => ({ found, paid: back })),
      },
    }),
  }

  /** The payments of the desk in a transaction; none if it is earlier than the transfer to the desk. */
  async function paymentsOf(hash: Hex, way: { token: Address; desk: Address; to: Address }) {
    const found = await awaitRead(findTransaction(node, hash))
    if (!found?.ok || found.blockNumber < sent.blockNumber) return []
    const amounts = paymentsIn(found.logs, way)
    return amounts.map((one) => ({ found, amount: one, alike: amounts.length }))
  }

  /** The payments since the transfer, oldest first. */
  async function paid(way: { token: Address; desk: Address; to: Address }) {
    const hashes = new Set<Hex>()
    const note = ({ transactionHash }: { transactionHash: Hex }): boolean => {
      hashes.add(transactionHash)
      return hashes.size >= mostPayments
    }
    await findLatestLog(node, paymentQuery(way), (sentAt ?? 0) / 1_000, undefined, note)
    const all = await Promise.all([...hashes].map((hash) => paymentsOf(hash, way)))
    return all.flat().toSorted((a, b) => a.found.blockNumber - b.found.blockNumber)
  }
}
