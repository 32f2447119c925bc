import type { Position, RealisedProfit } from '../../api/wallet.ts'
import { type Chain, latestBlock, read } from '../../chain/chain.ts'
import { known, together } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { usd } from '../../domain/usd.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import type { Market } from '../../protocols/market.ts'
import type { EngineContext, RatedMarket } from '../context.ts'
import { isCompleteHistory } from '../history/completeness.ts'
import { ownerEvents, retryAfterReorg } from '../history/events.ts'
import type { RpcLog } from '../history/logs/filters.ts'
import { discardLogs } from '../history/logs/rescan.ts'
import { hasStoredLogs, readOwnerLogs } from '../history/logs/scan.ts'
import { netInvested } from '../history/principal.ts'
import { strategyOf } from '../strategies/market-state.ts'
import { readMarketsWithRates } from '../strategies/strategies.ts'
import { type Holding, readHoldings } from './balances.ts'
import { assignSharedRequests, queuedFields, readQueued, withQueuedOnly } from './queued-withdrawals.ts'

/** What was put in and is still there, and the profit of what was closed before; `null` is not known. */
type InvestedHolding = Holding & { principal: bigint | null; realised: bigint | null }

/** What a wallet has on one chain, with principal and profit off its logs. Where contracts do not answer, the strategies are named. */
export async function chainWallet(context: EngineContext, chainId: number, address: Address) {
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  const [found, accounts, asked] = await Promise.all([
    readInvestedHoldings(context, chainId, address),
    context.lendingAccounts(address, chainId),
    readQueued(context, here, address),
  ])
  const queued = await assignSharedRequests(context, asked.queued, address)
  const held = withQueuedOnly(found.filter(hasPosition), queued, found)
  const closed = found.filter(({ realised }) => realised !== null && realised !== 0n)
  const stands = await readMarketsWithRates(
    context,
    [...held, ...closed].map(({ market }) => market),
  )
  const positions = held.map((one, at) => ({
    ...positionOf(one, stands[at]!),
    ...queuedFields(one.market, queued, stands[at]!.price),
  }))
  return {
    positions,
    realised: closed.map((one, at) => realisedProfitOf(one, stands[held.length + at]!)),
    accounts,
    unread: found.filter(({ balance }) => balance === null).map(({ market }) => market.entry.slug),
    unsearched: asked.unsearched.map(({ market, searchedAt }) => ({
      strategy: market.entry.slug,
      searchedAt: searchedAt === null ? null : new Date(searchedAt).toISOString(),
    })),
  }
}

/** Whether something is there, as far as anybody says: of a market that does not, it is there when more was put in than came out. */
const hasPosition = ({ shares, principal }: InvestedHolding): boolean =>
  shares === null ? principal !== null && principal > 0n : shares > 0n

/** What an owner has on one chain, and what of it he put in: both of one block, or else the latter is not known. */
async function readInvestedHoldings(
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
      await discardLogs({ store, now }, chain, market, owner)
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

function positionOf(
  { market, balance, principal }: InvestedHolding,
  standing: RatedMarket,
): Omit<Position, 'pending' | 'claimable' | 'queuedUsd'> {
  const profit = principal === null || balance === null ? null : balance - principal
  const { asset } = market.entry
  const strategy = strategyOf(standing)
  return {
    strategy,
    balance,
    principal,
    profit,
    balanceUsd: usd(balance, asset, standing.price),
    profitUsd: usd(profit, asset, standing.price),
    apy: strategy.apy,
  }
}

/** The profit that was taken out of a strategy, in USD at the price of its asset now. */
const realisedProfitOf = ({ market, realised }: InvestedHolding, standing: RatedMarket): RealisedProfit => ({
  strategy: market.entry.slug,
  asset: assetRef(market.entry.asset),
  realised: realised!,
  realisedUsd: usd(realised, market.entry.asset, standing.price),
})

const assetRef = ({ symbol, address, decimals }: StrategyEntry['asset']) => ({ symbol, address, decimals })
