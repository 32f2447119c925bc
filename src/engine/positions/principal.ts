import { known, together } from '../../chain/composable-reading.ts'
import type { Chain } from '../../chain/network-client.ts'
import { read, readAtHead } from '../../chain/run-readings.ts'
import type { Address } from '../../domain/address.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { EngineContext } from '../engine-context-types.ts'
import { isCompleteHistory } from '../history/events-match-holding.ts'
import type { RpcLog } from '../history/logs/log-filters.ts'
import { discardIncompleteLogs, hasStoredLogs, readOwnerLogs } from '../history/logs/owner-logs.ts'
import { isIncoming, type OwnerEvent, ownerEvents, retryAfterReorg } from '../history/owner-events.ts'
import { sharesAtBlock } from '../history/past-value.ts'
import { undefinedIfUnread } from '../undefined-if-unread.ts'
import { type Holding, heldMarkets, readHoldings, readWorth, sharesOf } from './market-holdings.ts'

/**
 * Computes `net`: deposits and received shares less withdrawals and sent shares, restarted whenever the position was
 * emptied; below zero, more was taken out than put in. `realised` is the profit of the emptied positions, below zero
 * for a loss.
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
    // A claim was counted when it was requested.
    if (type === 'claim') continue
    const isIn = isIncoming(event)
    net += isIn ? amount : -amount
    totals = addShares(totals, shares, isIn)
    if (isIn) continue
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

/** The later events in the same block. */
const laterInBlock = (events: readonly OwnerEvent[], at: number): OwnerEvent[] =>
  events.slice(at + 1).filter(({ blockNumber }) => blockNumber === events[at]!.blockNumber)

/**
 * Whether shares were left in the middle of a block, computed from the balance at its end and the `after` events in it. That is exact only
 * for receipts counted in the asset, with one index within a block; each event may be off by two from rounding.
 */
function hadSharesLeft(held: bigint, after: readonly OwnerEvent[]): boolean {
  const moving = after.filter(({ type }) => type !== 'claim')
  const later = moving.reduce((sum, event) => sum + (isIncoming(event) ? event.amount : -event.amount), 0n)
  return held - later > 2n * BigInt(moving.length)
}

/** The totals under each rounding; a movement with a single value counts for all. */
const addShares = (totals: readonly bigint[], shares: readonly bigint[], isIn: boolean): bigint[] =>
  Array.from({ length: Math.max(totals.length, shares.length) }, (_, at) => {
    const moved = shares[at] ?? shares[0] ?? 0n
    return (totals[at] ?? totals[0] ?? 0n) + (isIn ? moved : -moved)
  })

/** Whether shares are left; `undefined` if logs do not state shares or the roundings disagree, so that the chain must be read. */
function hasSharesLeft(totals: readonly bigint[], shares: readonly bigint[]): boolean | undefined {
  if (shares.length === 0) return undefined
  if (totals.every((total) => total <= 0n)) return false
  return totals.every((total) => total > 0n) ? true : undefined
}

/** A holding with its principal and the profit realised before; `null` is unknown. */
export type InvestedHolding = Holding & { principal: bigint | null; realised: bigint | null }

/** Reads the holdings of an owner on one chain with their principal, both at one block; otherwise the principal is unknown. */
export async function readInvestedHoldings(
  context: EngineContext,
  chainId: number,
  owner: Address,
): Promise<InvestedHolding[]> {
  const chain = context.chain(chainId)
  const markets = context.markets.filter(({ entry }) => entry.chainId === chainId)
  // An unreadable history loses principal and profit, not the position.
  const invested = await undefinedIfUnread(
    retryAfterReorg(() => readInvestedAtHead(context, chain, markets, owner)),
  )
  return (
    invested ??
    (await readHoldings(chain, markets, owner)).map((one) => ({
      ...one,
      principal: null,
      realised: null,
    }))
  )
}

/** The principal that an owner still has in one market; `null` is unknown. */
export async function readPrincipal(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<bigint | null> {
  const chain = context.chain(market.entry.chainId)
  const [invested] =
    (await undefinedIfUnread(retryAfterReorg(() => readInvestedAtHead(context, chain, [market], owner)))) ??
    []
  return invested && invested.shares !== 0n ? invested.principal : null
}

async function readInvestedAtHead(
  context: EngineContext,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
): Promise<InvestedHolding[]> {
  const { head, value: shares } = await readAtHead(chain, sharesOf(markets, owner))
  const held = heldMarkets(markets, shares)
  // A search through all blocks of a long chain is slow: without a position, or an answer of the market, only logs stored earlier are
  // continued.
  const isKnown = await hasStoredLogs(context.store, chain, owner)
  const used = new Set(await context.store.strategiesOf(owner))
  const closed = markets.filter(
    (one) => (isKnown(one) || used.has(one.entry.id)) && !held.some(({ market }) => market === one),
  )
  const all = [...held, ...closed.map((market) => ({ market, shares: 0n }))]
  const searched = held.flatMap(({ market, shares }) => (shares !== null || isKnown(market) ? [market] : []))
  const counted = all.map(({ market, shares }) =>
    shares === null ? known(null) : (market.counted?.(owner) ?? known(shares)),
  )
  const [worth, logs, closedLogs, units] = await Promise.all([
    // A node behind the same address may lack this block; then the position alone is read, at any block.
    readWorth(chain, held, head.number),
    readOwnerLogs(context, chain, searched, owner, head),
    // Unreadable logs of closed positions do not affect open ones.
    undefinedIfUnread(readOwnerLogs(context, chain, closed, owner, head)),
    read(chain, together<bigint | null>(counted), head.number),
  ])
  return Promise.all(
    all.map(async ({ market, ...one }, at) => {
      const ownLogs = logs.get(market) ?? closedLogs?.get(market)
      const sums = ownLogs && (await principalAndProfit(context, chain, market, owner, units[at]!, ownLogs))
      const balance = worth[at] ? worth[at].balance : 0n
      return { ...one, market, balance, ...(sums ?? { principal: null, realised: null }) }
    }),
  )
}

/**
 * Principal and realised profit. The principal is never below zero: the excess is realised profit. If the logs do not account for all
 * `units`, they are incomplete, and both are unknown; otherwise principal would count as profit.
 */
async function principalAndProfit(
  { store, now }: EngineContext,
  chain: Chain,
  market: Market,
  owner: Address,
  units: bigint | null,
  logs: readonly RpcLog[],
): Promise<{ principal: bigint; realised: bigint } | undefined> {
  const isClosed = units === 0n
  if (isClosed && logs.length === 0) return { principal: 0n, realised: 0n }
  const sums = async () => {
    const events = await ownerEvents(store, chain, market, owner, logs)
    if (!(await isCompleteHistory(store, chain, market, events, units))) {
      await discardIncompleteLogs({ store, now }, chain, market, owner)
      return undefined
    }
    const { net, realised } = await netInvested(store, chain, market, owner, events)
    return net < 0n || isClosed ? { principal: 0n, realised: realised - net } : { principal: net, realised }
  }
  return undefinedIfUnread(sums())
}
