import type { Chain } from '../../chain/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { Market } from '../../protocols/market.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { isIncoming, type OwnerEvent } from './events.ts'
import { sharesAtBlock } from './past-value.ts'

/**
 * `net`: deposits and shares received, less withdrawals and shares given away, counted anew whenever the position was emptied; below zero
 * means that more came out than went in. `realised`: the profit (or loss, below zero) of all that was emptied before.
 */
export async function netInvested(
  store: EngineStore,
  chain: Chain,
  market: Market,
  owner: Address,
  events: readonly OwnerEvent[],
): Promise<{ net: bigint; realised: bigint }> {
  let [net, realised] = [0n, 0n]
  let totals: bigint[] = []
  for (const [at, event] of events.entries()) {
    const { type, amount, shares, ...moment } = event
    // What is claimed was counted when it was asked for.
    if (type === 'claim') continue
    const comes = isIncoming(event)
    net += comes ? amount : -amount
    totals = addShares(totals, shares, comes)
    if (comes) continue
    const left =
      hasSharesLeft(totals, shares) ??
      hadSharesLeft(await sharesAtBlock(store, chain, market, { owner, moment }), laterInBlock(events, at))
    if (left) continue
    realised -= net
    net = 0n
    totals = []
  }
  return { net, realised }
}

/** What happened after one event in the same block. */
const laterInBlock = (events: readonly OwnerEvent[], at: number): OwnerEvent[] =>
  events.slice(at + 1).filter(({ blockNumber }) => blockNumber === events[at]!.blockNumber)

/**
 * Whether anything was left in the middle of a block, by what was held at its end and what happened `after` in it. That is known only of
 * receipts that are counted in the asset itself, all at the same index within a block; each event may be off by two from rounding.
 */
function hadSharesLeft(held: bigint, after: readonly OwnerEvent[]): boolean {
  const moving = after.filter(({ type }) => type !== 'claim')
  const later = moving.reduce((sum, event) => sum + (isIncoming(event) ? event.amount : -event.amount), 0n)
  return held - later > 2n * BigInt(moving.length)
}

/** The totals by each rounding; what was moved by one alone counts for all. */
const addShares = (totals: readonly bigint[], shares: readonly bigint[], comes: boolean): bigint[] =>
  Array.from({ length: Math.max(totals.length, shares.length) }, (_, at) => {
    const moved = shares[at] ?? shares[0] ?? 0n
    return (totals[at] ?? totals[0] ?? 0n) + (comes ? moved : -moved)
  })

/** Whether anything is left; `undefined` is for the chain to say, where the logs do not tell or the roundings disagree. */
function hasSharesLeft(totals: readonly bigint[], shares: readonly bigint[]): boolean | undefined {
  if (shares.length === 0) return undefined
  if (totals.every((total) => total <= 0n)) return false
  return totals.every((total) => total > 0n) ? true : undefined
}
