import { usedElsewhereError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { CallWithAllowance } from '../../protocols/market-adapter.ts'
import type { OrderCall } from '../../swaps/definition.ts'
import { serviceAccess } from '../../swaps/service-access.ts'
import { swapOrderOf } from '../../swaps/swap-provider-registry.ts'
import type { EngineContext } from '../engine.ts'

/**
 * Records that the orders of a built swap belong to its quote. ORDER_USED if the provider gave the order before, for another quote. A
 * served engine also asks the chains, for clients that do not; the client in this process asks them itself.
 */
export async function takeOrders(
  context: EngineContext,
  quoteId: string,
  { transaction, order: own }: CallWithAllowance & { order?: string },
  swap: Omit<OrderCall, 'transaction'>,
): Promise<void> {
  const order = swapOrderOf(context.catalog, transaction)
  for (const id of [order?.id, own]) if (id !== undefined) await takeOrder(context, id, quoteId)
  if (!order || !context.isServed) return
  const reads = {
    rpc: (chainId: number) => context.chain(chainId).rpc,
    catalog: context.catalog,
    ...serviceAccess(),
  }
  const use = await order.rules.findUse(reads, { ...swap, transaction })
  if (use !== undefined) throw usedElsewhereError(order.id, use)
}

/** Records that an order belongs to a quote; ORDER_USED if it belongs to another. */
export async function takeOrder({ store, now }: EngineContext, id: string, quoteId: string): Promise<void> {
  if (!(await store.takeOrder(id, quoteId, now())))
    throw usedElsewhereError(id, 'its provider gave it for another quote before')
}
