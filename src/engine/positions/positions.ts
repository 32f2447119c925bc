import type { Position, RealisedProfit } from '../../api/wallet.ts'
import { type Chain, latestBlock, read } from '../../chain/chain.ts'
import { known, together } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { usd } from '../../domain/usd.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import type { Market } from '../../protocols/market.ts'
import type { Context, Standing } from '../context.ts'
import { addsUp } from '../history/completeness.ts'
import { eventsIn, steadily } from '../history/events.ts'
import type { RpcLog } from '../history/logs/filters.ts'
import { readAgain } from '../history/logs/rescan.ts'
import { keptAmong, logsOf } from '../history/logs/scan.ts'
import { netInvested } from '../history/principal.ts'
import { strategyOf } from '../strategies/market-state.ts'
import { grownStandings } from '../strategies/strategies.ts'
import { type Held, holdings } from './balances.ts'
import { eachOnce, queuedIn, queuedOf, withQueued } from './queued-withdrawals.ts'

/** What was put in and is still there, and the profit of what was closed before; `null` is not known. */
type Invested = Held & { principal: bigint | null; realised: bigint | null }

/** What a wallet has on one chain, with principal and profit off its logs. Where contracts do not answer, the strategies are named. */
export async function partOf(context: Context, chainId: number, address: Address) {
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  const [found, accounts, asked] = await Promise.all([
    investedOn(context, chainId, address),
    context.lending(address, chainId),
    queuedOf(context, here, address),
  ])
  const queued = await eachOnce(context, asked.queued, address)
  const held = withQueued(found.filter(isRow), queued, found)
  const closed = found.filter(({ realised }) => realised !== null && realised !== 0n)
  const stands = await grownStandings(
    context,
    [...held, ...closed].map(({ market }) => market),
  )
  const positions = held.map((one, at) => ({
    ...positionOf(one, stands[at]!),
    ...queuedIn(one.market, queued, stands[at]!.price),
  }))
  return {
    positions,
    realised: closed.map((one, at) => realisedOf(one, stands[held.length + at]!)),
    accounts,
    unread: found.filter(({ balance }) => balance === null).map(({ market }) => market.entry.slug),
    unsearched: asked.unsearched.map(({ market, searchedAt }) => ({
      strategy: market.entry.slug,
      searchedAt: searchedAt === null ? null : new Date(searchedAt).toISOString(),
    })),
  }
}

/** Whether something is there, as far as anybody says: of a market that does not, it is there when more was put in than came out. */
const isRow = ({ shares, principal }: Invested): boolean =>
  shares === null ? principal !== null && principal > 0n : shares > 0n

/** What an owner has on one chain, and what of it he put in: both of one block, or else the latter is not known. */
async function investedOn(context: Context, chainId: number, owner: Address): Promise<Invested[]> {
  const chain = context.chain(chainId)
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  const invested = await unlessUnread(() => steadily(() => investedAt(context, chain, here, owner)))
  return (
    invested ??
    (await holdings(chain, here, owner)).map((one) => ({
      ...one,
      principal: null,
      realised: null,
    }))
  )
}

/** How much an owner put into one market and still has there; `null` is not known. */
export async function principalIn(context: Context, market: Market, owner: Address): Promise<bigint | null> {
  const chain = context.chain(market.entry.chainId)
  const [invested] =
    (await unlessUnread(() => steadily(() => investedAt(context, chain, [market], owner)))) ?? []
  return invested && invested.shares !== 0n ? invested.principal : null
}

async function investedAt(
  context: Context,
  chain: Chain,
  here: readonly Market[],
  owner: Address,
): Promise<Invested[]> {
  const head = await latestBlock(chain)
  // A node behind the same address may not have this block yet: then the position alone is read, at whatever block.
  const held = await holdings(chain, here, owner, head.number)
  // The search through all blocks of a long chain is slow: where nothing is held, or a market says nothing, only logs known from before are gone on with.
  const isKnown = await keptAmong(context.store, chain, owner)
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
    logsOf(context, chain, searched, owner, head),
    // What cannot be read of closed positions costs nothing of the open ones.
    unlessUnread(() => logsOf(context, chain, closed, owner, head)),
    read(chain, together<bigint | null>(counted), head.number),
  ])
  return Promise.all(
    all.map(async ({ market, ...one }, at) => {
      const mine = logs.get(market) ?? closedLogs?.get(market)
      const sums = mine && (await sumsOf(context, chain, market, owner, units[at]!, mine))
      return { ...one, market, ...(sums ?? { principal: null, realised: null }) }
    }),
  )
}

/**
 * Principal and realised profit. The principal is never below zero: what came out beyond what was put in is realised. Logs that do not
 * account for all `units` are incomplete: then both are unknown, or else what was put in would count as profit.
 */
async function sumsOf(
  { store, now }: Context,
  chain: Chain,
  market: Market,
  owner: Address,
  units: bigint | null,
  logs: readonly RpcLog[],
): Promise<{ principal: bigint; realised: bigint } | null> {
  const isClosed = units === 0n
  if (isClosed && logs.length === 0) return { principal: 0n, realised: 0n }
  return unlessUnread(async () => {
    const events = await eventsIn(store, chain, market, owner, logs)
    if (!(await addsUp(store, chain, market, events, units))) {
      await readAgain({ store, now }, chain, market, owner)
      return null
    }
    const { net, realised } = await netInvested(store, chain, market, owner, events)
    return net < 0n || isClosed ? { principal: 0n, realised: realised - net } : { principal: net, realised }
  })
}

/** A history that cannot be read whole costs principal and profit, and not the position. */
async function unlessUnread<value>(work: () => Promise<value>): Promise<value | null> {
  try {
    return await work()
  } catch (error) {
    const costs = ['RPC_ERROR', 'RPC_INCONSISTENT', 'HISTORY_UNREAD']
    if (error instanceof AppError && costs.includes(error.code)) return null
    throw error
  }
}

function positionOf(
  { market, balance, principal }: Invested,
  standing: Standing,
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
const realisedOf = ({ market, realised }: Invested, standing: Standing): RealisedProfit => ({
  strategy: market.entry.slug,
  asset: assetRef(market.entry.asset),
  realised: realised!,
  realisedUsd: usd(realised, market.entry.asset, standing.price),
})

const assetRef = ({ symbol, address, decimals }: StrategyEntry['asset']) => ({ symbol, address, decimals })
