import { type Chain, latestBlock, read } from '../../chain/chain.ts'
import { known, together } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { EngineContext } from '../context.ts'
import { isCompleteHistory } from '../history/completeness.ts'
import type { RpcLog } from '../history/logs/log-filters.ts'
import { discardIncompleteLogs, hasStoredLogs, readOwnerLogs } from '../history/logs/owner-logs.ts'
import { isIncoming, type OwnerEvent, ownerEvents, retryAfterReorg } from '../history/owner-events.ts'
import { sharesAtBlock } from '../history/past-value.ts'
import { type Holding, readHoldings } from './balances.ts'

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

/** What was put in and is still there, and the profit of what was closed before; `null` is not known. */
export type InvestedHolding = Holding & { principal: bigint | null; realised: bigint | null }

/** What an owner has on one chain, and what of it he put in: both of one block, or else the latter is not known. */
export async function readInvestedHoldings(
  context: EngineContext,
  chainId: number,
  owner: Address,
): Promise<InvestedHolding[]> {
  const chain = context.chain(chainId)
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  const invested = await nullIfUnreadable(() =>
    retryAfterReorg(() => readInvestedAtHead(context, chain, here, owner)),
  )
  return (
    invested ??
    (await readHoldings(chain, here, owner)).map((one) => ({
      ...one,
      principal: null,
      realised: null,
    }))
  )
}

/** How much an owner put into one market and still has there; `null` is not known. */
export async function readPrincipal(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<bigint | null> {
  const chain = context.chain(market.entry.chainId)
  const [invested] =
    (await nullIfUnreadable(() =>
      retryAfterReorg(() => readInvestedAtHead(context, chain, [market], owner)),
    )) ?? []
  return invested && invested.shares !== 0n ? invested.principal : null
}

async function readInvestedAtHead(
  context: EngineContext,
  chain: Chain,
  here: readonly Market[],
  owner: Address,
): Promise<InvestedHolding[]> {
  const head = await latestBlock(chain)
  // A node behind the same address may not have this block yet: then the position alone is read, at whatever block.
  const held = await readHoldings(chain, here, owner, head.number)
  // The search through all blocks of a long chain is slow: where nothing is held, or a market says nothing, only logs known from before are gone on with.
  const isKnown = await hasStoredLogs(context.store, chain, owner)
  const used = new Set(await context.store.strategiesOf(owner))
  const closed = here.filter(
    (one) => (isKnown(one) || used.has(one.entry.id)) && !held.some(({ market }) => market === one),
  )
  const all = [...held, ...closed.map((market) => ({ market, shares: 0n, balance: 0n }))]
  const searched = held.flatMap(({ market, shares }) => (shares !== null || isKnown(market) ? [market] : []))
  const counted = all.map(({ market, shares }) =>
    shares === null ? known(null) : (market.counted?.(owner) ?? known(shares)),
  )
  const [logs, closedLogs, units] = await Promise.all([
    readOwnerLogs(context, chain, searched, owner, head),
    // What cannot be read of closed positions costs nothing of the open ones.
    nullIfUnreadable(() => readOwnerLogs(context, chain, closed, owner, head)),
    read(chain, together<bigint | null>(counted), head.number),
  ])
  return Promise.all(
    all.map(async ({ market, ...one }, at) => {
      const mine = logs.get(market) ?? closedLogs?.get(market)
      const sums = mine && (await principalAndProfit(context, chain, market, owner, units[at]!, mine))
      return { ...one, market, ...(sums ?? { principal: null, realised: null }) }
    }),
  )
}

/**
 * Principal and realised profit. The principal is never below zero: what came out beyond what was put in is realised. Logs that do not
 * account for all `units` are incomplete: then both are unknown, or else what was put in would count as profit.
 */
async function principalAndProfit(
  { store, now }: EngineContext,
  chain: Chain,
  market: Market,
  owner: Address,
  units: bigint | null,
  logs: readonly RpcLog[],
): Promise<{ principal: bigint; realised: bigint } | null> {
  const isClosed = units === 0n
  if (isClosed && logs.length === 0) return { principal: 0n, realised: 0n }
  return nullIfUnreadable(async () => {
    const events = await ownerEvents(store, chain, market, owner, logs)
    if (!(await isCompleteHistory(store, chain, market, events, units))) {
      await discardIncompleteLogs({ store, now }, chain, market, owner)
      return null
    }
    const { net, realised } = await netInvested(store, chain, market, owner, events)
    return net < 0n || isClosed ? { principal: 0n, realised: realised - net } : { principal: net, realised }
  })
}

/** A history that cannot be read whole costs principal and profit, and not the position. */
async function nullIfUnreadable<value>(work: () => Promise<value>): Promise<value | null> {
  try {
    return await work()
  } catch (error) {
    const costs = ['RPC_ERROR', 'RPC_INCONSISTENT', 'HISTORY_UNREAD']
    if (error instanceof AppError && costs.includes(error.code)) return null
    throw error
  }
}
