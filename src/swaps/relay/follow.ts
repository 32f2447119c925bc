import { blockTime, maxClockDifferenceMs } from '../../chain/latest-log.ts'
import type { Hex } from '../../domain/address.ts'
import { hostOf } from '../../http/client.ts'
import {
  type AwaitedTransfer,
  awaitRead,
  type BridgeDelivery,
  type DeliveryContext,
  initialDelivery,
  isEarlier,
} from '../bridge-delivery.ts'
import { decodeOrder, relayOn } from './order.ts'
import { findOrderOutcome } from './order-outcome.ts'
import { paymentsOnChain } from './payments-on-chain.ts'
import { parseRelayStatus, type RelayStatus, statusPath } from './service-status.ts'

/**
 * Follows a deposit at Relay on both chains: its calldata contains the order, and the calldata of a payment or refund ends with the order
 * id. Only if the chains show nothing, the service is asked for transactions that no log search finds.
 */
export async function followRelay(
  { rpc, catalog, getJson }: DeliveryContext,
  { sent, arrival }: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> {
  const order = decodeOrder(sent.transaction)
  const sentAt = await blockTime(rpc(sent.transaction.chainId), sent.blockNumber)
  const known = initialDelivery('solver', sentAt)
  const here = relayOn(catalog, sent.transaction.chainId)
  if (!order || !here) return { ...known, isDelivered: undefined, brought: undefined }
  const since = ((sentAt ?? 0) - maxClockDifferenceMs) / 1_000
  const onChain = paymentsOnChain(rpc, since, awaitRead)
  const chains: typeof onChain = {
    ...onChain,
    // A payment before the deposit was for another deposit.
    transaction: async (chainId, hash) => {
      const found = await onChain.transaction(chainId, hash)
      const isOld = found && (await isEarlier({ rpc }, sent, sentAt, { chainId, ...found }))
      return isOld ? { ...found, ok: false } : found
    },
  }
  const named = reportedHash === null ? [] : [reportedHash]
  const { solver, api } = here
  const { delivered, returned, isAll, said } = await findOrderOutcome(
    { order, solver, arrival },
    chains,
    async () => (api === null ? undefined : saidBy(`${api}${statusPath(order.terms.requestId)}`)),
    named,
  )
  return {
    ...known,
    unanswered: !said && !delivered && !returned && api !== null ? hostOf(api) : undefined,
    isDelivered: delivered ? true : isAll || returned ? false : undefined,
    brought: delivered && { found: delivered.found, amount: delivered.amount, alike: undefined },
    order: {
      id: order.id,
      until: order.terms.deadline,
      said: said && { word: said.word, text: said.text },
      returned: returned && {
        chainId: returned.way.chainId,
        token: returned.way.token,
        recipient: returned.way.to,
        found: returned.found,
        amount: returned.amount,
      },
    },
  }

  /** The service's status; `undefined` if it does not answer. */
  async function saidBy(url: string): Promise<RelayStatus | undefined> {
    const answer = await getJson(url).catch(() => undefined)
    return answer?.status === 200 ? parseRelayStatus(answer.body) : undefined
  }
}
