import { ask, askAtHead } from '../../chain/ask.ts'
import { known, together } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Address } from '../../domain/address.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { EngineContext } from '../engine.ts'
import { isCompleteHistory } from '../history/events-match-holding.ts'
import type { RpcLog } from '../history/logs/log-filters.ts'
import { discardIncompleteLogs, hasStoredLogs, readOwnerLogs } from '../history/logs/owner-logs.ts'
import { isIncoming, type OwnerEvent, ownerEvents, retryAfterReorg } from '../history/owner-events.ts'
import { sharesAtBlock } from '../history/past-value.ts'
import { undefinedIfUnread } from '../undefined-if-unread.ts'
import { heldMarkets, type MarketHolding, readHoldings, readWorth, sharesOf } from './market-holdings.ts'
import {
  afterEmptied,
  afterIncoming,
  afterOutgoing,
  type Invested,
  nothingInvested,
} from './principal-rule.ts'

/**
 * What an owner invested in a market, computed from all its events, oldest first: deposits and received shares go in, withdrawals and sent
 * shares come out, each at its value at that time.
 */
export async function investedAfter(
  store: EngineStore,
  chain: Chain,
  market: Market,
  owner: Address,
  events: readonly OwnerEvent[],
): Promise<Invested> {
  let invested = nothingInvested
  let totals: bigint[] = []
  for (const [at, event] of events.entries()) {
    const { type, amount, shares, ...moment } = event
    // A claim was counted when it was requested.
    if (type === 'claim') continue
    const isIn = isIncoming(event)
    invested = isIn ? afterIncoming(invested, amount) : afterOutgoing(invested, amount)
    totals = addShares(totals, shares, isIn)
    if (isIn) continue
    const left =
      hasSharesLeft(totals, shares) ??
      hadSharesLeft(await sharesAtBlock(store, chain, market, { owner, moment }), laterInBlock(events, at))
    if (left) continue
    invested = afterEmptied(invested)
    totals = []
  }
  return invested
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

/** A holding with what was invested in it; `null` is unknown. */
export type InvestedHolding = MarketHolding & { invested: Invested | null }

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
      invested: null,
    }))
  )
}

/** What an owner who has shares of one market invested in it; `null` is unknown. */
export async function readInvested(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<Invested | null> {
  const chain = context.chain(market.entry.chainId)
  const [holding] =
    (await undefinedIfUnread(retryAfterReorg(() => readInvestedAtHead(context, chain, [market], owner)))) ??
    []
  return holding && holding.shares !== 0n ? holding.invested : null
}

async function readInvestedAtHead(
  context: EngineContext,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
): Promise<InvestedHolding[]> {
  const { head, value: shares } = await askAtHead(chain, sharesOf(markets, owner))
  const held = heldMarkets(markets, shares)
  // A search through all blocks of a long chain is slow: without a position, or an answer of the market, only logs stored earlier are
  // continued.
  const isKnown = await hasStoredLogs(context.store, chain, owner)
  const used = new Set(await context.store.strategiesOf(owner))
  const closed = markets.filter(
    (one) => (isKnown(one) || used.has(one.entry.id)) && !held.some(({ market }) => market === one),
  )
  const all = [...held, ...closed.map((market) => ({ market, shares: 0n, staked: 0n }))]
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
    ask(chain, together<bigint | null>(counted), head.number),
  ])
  return Promise.all(
    all.map(async ({ market, shares }, at) => {
      const ownLogs = logs.get(market) ?? closedLogs?.get(market)
      const invested = ownLogs && (await investedByLogs(context, chain, market, owner, units[at]!, ownLogs))
      const { balance, staked } = worth[at] ?? { balance: 0n, staked: null }
      return { market, shares, balance, staked, invested: invested ?? null }
    }),
  )
}

/**
 * What was invested according to the logs. If they do not account for all `units`, they are incomplete, and nothing is known; otherwise
 * principal would count as profit.
 */
async function investedByLogs(
  { store, now }: EngineContext,
  chain: Chain,
  market: Market,
  owner: Address,
  units: bigint | null,
  logs: readonly RpcLog[],
): Promise<Invested | undefined> {
  const isClosed = units === 0n
  if (isClosed && logs.length === 0) return nothingInvested
  const sums = async () => {
    const events = await ownerEvents(store, chain, market, owner, logs)
    if (!(await isCompleteHistory(store, chain, market, events, units))) {
      await discardIncompleteLogs({ store, now }, chain, market, owner)
      return undefined
    }
    const invested = await investedAfter(store, chain, market, owner, events)
    return isClosed ? afterEmptied(invested) : invested
  }
  return undefinedIfUnread(sums())
}
