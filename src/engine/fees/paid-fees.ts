import { decodeTransfer } from '../../chain/erc20.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { refreshAction } from '../actions/refresh-action.ts'
import type { EngineContext } from '../engine.ts'
import { undefinedIfUnread } from '../undefined-if-unread.ts'

/** How many withdrawals whose payment was not seen yet are looked up at once, newest first: a plan that nobody sent is never seen. */
const mostLookups = 8

/**
 * The fees that a wallet paid to the service, by strategy id, in the smallest unit of the asset: the payments of this customer's actions that
 * succeeded on chain. Only \`strategyIds\` count, from which a profit left; their payments that were not seen yet are looked up first.
 */
export async function paidFees(
  context: EngineContext,
  wallet: Address,
  strategyIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (strategyIds.length === 0) return new Map()
  const { store, customer } = context
  const payments = async () =>
    (await store.feePayments(customer, wallet)).filter(({ strategyId }) => strategyIds.includes(strategyId))
  const known = await payments()
  const open = new Set(known.flatMap(({ actionId, succeeded }) => (succeeded === null ? [actionId] : [])))
  // A chain that does not answer leaves its payments unknown, not the whole wallet.
  const looked = [...open].slice(0, mostLookups).map((id) => undefinedIfUnread(refreshAction(context, id)))
  await Promise.all(looked)
  const paid = new Map<string, bigint>()
  for (const { strategyId, chainId, recipient, data, value, succeeded } of looked.length === 0
    ? known
    : await payments()) {
    if (succeeded !== 1) continue
    const call = { chainId, to: recipient as Address, data: data as Hex, value: BigInt(value) }
    paid.set(strategyId, (paid.get(strategyId) ?? 0n) + (decodeTransfer(call)?.amount ?? 0n))
  }
  return paid
}
