import { getAddress } from 'viem/utils'
import { type Hex, nativeAddress } from '../../domain/address.ts'
import type { Next } from '../../domain/text/next-step.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { cowContracts } from '../../swaps/cow/constants-schema.ts'
import { preSignedUid, tradeIn } from '../../swaps/cow/fill.ts'
import { partsOfUid } from '../../swaps/cow/order.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import { followAnyTransfer } from '../../transactions/bridge/pending-delivery.ts'
import { amountText } from '../calls/describe-call.ts'
import type { Facts } from '../facts/operation-facts.ts'
import { deliveryRules } from '../rules/awaited-deliveries.ts'
import type { Verdict } from '../verdict.ts'
import type { FoundTransaction } from './transaction-lookup.ts'

/** What became of a transfer that this machine did not start. Without `funds`, the chain of the transaction alone tells where they are. */
export type ExplainedTransfer = Pick<Verdict, 'situation' | 'verdict'> & { funds?: string; next?: Next }

/** One order of several: its number, whose it is, and until when it can be filled. */
function orderLine(uid: Hex): string {
  const parts = partsOfUid(uid)
  return parts ? `${uid} of ${getAddress(parts.owner)}, until ${momentText(parts.validTo * 1_000)}` : uid
}

/** An order of CoW Protocol by the event of its signature, whatever contract made it. Its amounts are only in its trade. */
export async function preSignedOrder(
  context: ExecutionContext,
  hash: Hex,
  { network, from, call, block }: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer | undefined> {
  const { catalog } = context
  const { chainId } = network
  const settlement = contractsOn(catalog, cowContracts, chainId)?.settlement
  if (!settlement || !block) return undefined
  const [uid, ...others] = block.mined.logs.flatMap((log) => preSignedUid([log], settlement) ?? [])
  const parts = uid && partsOfUid(uid)
  if (!uid || !parts) return undefined
  if (others.length > 0)
    return {
      situation: 'FOREIGN',
      verdict: `It signs ${others.length + 1} orders of CoW Protocol: ${[uid, ...others].map(orderLine).join('; ')}. Whether they were filled is not looked up; the settlement contract shows each by its number.`,
    }
  const owner = getAddress(parts.owner)
  const transaction = { chainId, to: settlement, data: call.input, value: call.value }
  const awaited = {
    sent: { transaction, wallet: from, hash, blockNumber: block.number },
    // What the order buys is not on the chain before its trade, which states it.
    arrival: { chainId, token: nativeAddress, recipient: owner },
  }
  const { isDelivered, brought, expiry, unfilled } = await followAnyTransfer(context, awaited, reportedHash)
  if (isDelivered === true) {
    const trade = brought && tradeIn(brought.found.logs, settlement, uid)
    return {
      situation: 'FOREIGN',
      verdict: `The order was filled, in whole or in part${brought ? `, in ${brought.found.hash}` : ''}.`,
      funds:
        trade && brought
          ? `${amountText(catalog, network, trade.sellToken, trade.sellAmount)} was swapped for ${amountText(catalog, network, trade.buyToken, trade.buyAmount)}, in ${brought.found.hash} on ${network.name}.`
          : `Swapped on ${network.name}. The transaction was not found, so the amounts are not known here.`,
    }
  }
  const facts = { bridge: { way: 'order', isMinted: isDelivered, expiry, unfilled: unfilled?.why } }
  // The rules for an order read these facts, and for an open one the allowance, which only its amounts tell.
  const plan = { about: { amounts: { in: null, out: null } } }
  const known = { ...facts, operation: { steps: [] }, plan } as unknown as Facts
  const rule = deliveryRules.find(({ is }) => is(known))!
  return {
    situation: rule.situation,
    verdict: rule.verdict(known),
    funds:
      isDelivered === undefined
        ? `With ${owner}, unless the order was filled.`
        : `Not moved: what the order sells is still with ${owner}.`,
  }
}
