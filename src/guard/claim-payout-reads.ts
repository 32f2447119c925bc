import { ask } from '../chain/ask.ts'
import type { NodeCall } from '../chain/eth-call.ts'
import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { StrategyEntry } from '../protocols/catalog-types.ts'
import { queueOf } from '../protocols/registry.ts'
import type { Request } from '../protocols/withdrawal-queue.ts'
import { queuedRequests } from './withdrawal-queue-reads.ts'

/**
 * What a claim brings: the wallet's claimable requests of one transaction, and their payout; an empty list without any. If nothing
 * is claimable, it recovers lapsed requests: `amount` is then in the receipt and `was` its value. `lapsed` requests beside
 * claimable ones stay.
 */
export async function readClaim(
  strategy: StrategyEntry,
  wallet: Address,
  node: NodeCall,
  proposed: readonly Transaction[],
): Promise<{
  ids: string[]
  amount: bigint
  left: number
  lapsed: number
  takesBack?: { was: bigint }
}> {
  const { queue, pending, claimable } = await queuedRequests(strategy, wallet, node, proposed)
  const lapsed = pending.filter(({ shares }) => shares !== undefined)
  const ids = (some: readonly Request[]) => some.map(({ id }) => id)
  const sum = (some: readonly Request[]) => some.reduce((all, { amount }) => all + amount, 0n)
  if (claimable.length === 0 && lapsed.length > 0) {
    const amount = lapsed.reduce((all, { shares = 0n }) => all + shares, 0n)
    return { ids: ids(lapsed), amount, left: 0, lapsed: 0, takesBack: { was: sum(lapsed) } }
  }
  const taken = queue.taken(claimable)
  return {
    ids: ids(taken),
    amount: sum(taken),
    left: claimable.length - taken.length,
    lapsed: lapsed.length,
  }
}

/** The claim window in seconds, and what recovers a lapsed request; `undefined` if claims never lapse. */
export async function readClaimWindow(
  strategy: StrategyEntry,
  node: NodeCall,
): Promise<{ seconds: number | null; back: string } | undefined> {
  const lapses = queueOf(strategy)?.lapses
  return lapses && { seconds: await ask(node, lapses.window()), back: lapses.back }
}
