import { checkFinality, type FinalityDepth } from '../../chain/finality/finality.ts'
import type { MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { quorumTimeoutMs } from '../../chain/finality/quorum.ts'
import { blockTime } from '../../chain/latest-log.ts'
import { nodeTimeoutMs, undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { networkNamed } from '../../domain/networks.ts'
import { tokenAt, type Unit } from '../../domain/token.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import type { DeliveryResult } from './delivery-result.ts'
import { pendingDelivery, readDelivery } from './pending-delivery.ts'

/**
 * Checks the delivery that an operation waits for, as final on the destination chain: complete, or under the agreed
 * minimum. `undefined` while it is in transit. `reportedHash` is the hash that a service reports.
 */
export async function checkDelivery(
  context: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now' | 'journal'>,
  operation: Operation,
  reportedHash: Hex | null,
  depth?: FinalityDepth,
): Promise<DeliveryResult | undefined> {
  const awaited = pendingDelivery(operation)
  if (!awaited) return undefined
  const { arrival, chainId } = awaited.leg
  const { way, brought, isDelivered, isUnknown, expiry, unfilled, order } = await readDelivery(
    context,
    awaited,
    reportedHash,
  )
  const network = networkNamed(context.catalog.networks, chainId)
  if (!brought && unfilled && expiry)
    return unfilled.missing > 0
      ? { unseen: 'shallow', missing: unfilled.missing }
      : { unfilled: { why: unfilled.why, until: expiry.at, network: network.name } }
  if (!brought && way === 'order' && expiry && isDelivered === false)
    return { unseen: 'open', until: expiry.at }
  if (!brought && order?.returned) {
    const { chainId: at, token, recipient, ...refund } = order.returned
    const unit = unitOf(context.catalog, at, token)
    return checkRefund(context, { chainId: at, recipient, unit, by: 'solver' }, refund)
  }
  const back = {
    chainId: awaited.sent.transaction.chainId,
    recipient: awaited.sent.wallet,
    unit: (operation.plan as StoredPlan | null)?.about.amounts.in ?? { symbol: 'units', decimals: 0 },
  }
  if (!brought && way === 'desk') return expiry && checkRefund(context, { ...back, by: way }, expiry.refund)
  if (!brought && expiry?.isPast)
    return (await checkRefund(context, back, expiry.refund)) ?? { unseen: 'expired', until: expiry.at }
  if (!brought) return isDelivered ? { unseen: 'unfound' } : isUnknown ? { unseen: 'unknown' } : undefined
  const { found, amount, alike } = brought
  // A delivery counts for one operation only; one that names its transfer belongs to that transfer.
  if (alike !== undefined && context.journal.countDeliveries(found.hash, operation.id) >= alike)
    return undefined
  const rpc = context.rpc(chainId)
  const wanted = { wanted: depth ?? network.depth, usual: network.depth }
  const looked = checkFinality(rpc, { ...found, by: rpc.host }, wanted, quorumTimeoutMs)
  const seen = await undefinedIfUnanswered(withTimeout(looked, nodeTimeoutMs + quorumTimeoutMs))
  if (seen?.unlike) return { unseen: 'disputed', unlike: seen.unlike }
  if (!seen) return undefined
  if (!seen.deep) return { unseen: 'shallow', missing: seen.missing }
  if (amount >= arrival.minimum) return { arrived: found.hash }
  const unit = unitOf(context.catalog, chainId, arrival.token)
  return {
    short: {
      hash: found.hash,
      network: network.name,
      recipient: arrival.recipient,
      ...(way === 'desk' && { by: way }),
      brought: tokenAmount(amount, unit),
      minimum: tokenAmount(arrival.minimum, unit),
    },
  }
}

/** A refund's chain, recipient and unit, and its sender if it is not a bridge. */
type PaidBack = { chainId: number; recipient: Address; unit: Unit; by?: 'desk' | 'solver' }

/** Returns a refund once it is final on its chain; `undefined` before. */
async function checkRefund(
  { rpc: rpcOf, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { chainId, recipient, unit, by }: PaidBack,
  refund: { found: MinedTransaction; amount: bigint } | undefined,
): Promise<DeliveryResult | undefined> {
  if (!refund) return undefined
  const { found, amount } = refund
  const rpc = rpcOf(chainId)
  const network = networkNamed(catalog.networks, chainId)
  const wanted = { wanted: network.depth, usual: network.depth }
  const looked = checkFinality(rpc, { ...found, by: rpc.host }, wanted, quorumTimeoutMs)
  const seen = await undefinedIfUnanswered(withTimeout(looked, nodeTimeoutMs + quorumTimeoutMs))
  if (!seen?.deep) return undefined
  const paidAt = await blockTime(rpc, found.blockNumber)
  return {
    refunded: {
      hash: found.hash,
      network: network.name,
      recipient,
      ...(by && { by }),
      amount: tokenAmount(amount, unit),
      ...(paidAt !== undefined && { paidAt: new Date(paidAt).toISOString() }),
    },
  }
}

/** Returns the unit of a token or of the native coin; the smallest unit of an unknown token. */
function unitOf({ tokens, networks }: Catalog, chainId: number, token: Address): Unit {
  if (sameAddress(token, nativeAddress)) return networkNamed(networks, chainId).native
  return tokenAt(tokens, chainId, token) ?? { symbol: token, decimals: 0 }
}
