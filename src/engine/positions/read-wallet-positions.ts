import type { Position, RealisedProfit, Wallet } from '../../api/wallet-positions.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sumUsd, usd } from '../../domain/usd.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import { isChainFault, withAllNetworks } from '../chain-faults.ts'
import type { EngineContext } from '../engine-context-types.ts'
import type { RatedMarket } from '../market-types.ts'
import { readChainMarkets } from '../strategies/market-state.ts'
import { strategyOf } from '../strategies/strategy-answer.ts'
import { lendingStats } from './lending-accounts.ts'
import { type InvestedHolding, readInvestedHoldings } from './principal.ts'
import { assignSharedRequests, queuedFields, readQueued, withQueuedOnly } from './queued-withdrawals.ts'

/**
 * The positions of a wallet in all markets. Networks that do not answer are named and left out; if none answers, the first error is thrown.
 */
export async function walletOf(context: EngineContext, address: Address): Promise<Wallet> {
  const chainIds = [...new Set(context.markets.map(({ entry }) => entry.chainId))]
  const networks = chainIds.map((chainId) => networkNamed(context.catalog.networks, chainId))
  const results = await Promise.all(
    networks.map(async (network) => {
      const part = await orRpcError(chainWallet(context, network.chainId, address))
      context.onMissingNetwork(network, part instanceof AppError ? part : null)
      return part
    }),
  )
  const parts = results.flatMap((part) => (part instanceof AppError ? [] : [part]))
  const fault = results.find((part) => part instanceof AppError)
  if (fault && parts.length === 0) throw withAllNetworks(fault, networks)
  const positions = parts.flatMap((part) => part.positions)
  const realised = parts.flatMap((part) => part.realised)
  const queuedUsd = sumUsd(positions.map((one) => one.queuedUsd))
  return {
    address,
    positions,
    totalValueUsd: sumUsd([...positions.map(({ balanceUsd }) => balanceUsd), queuedUsd]),
    queuedUsd,
    realised,
    totalProfitUsd: sumUsd([
      ...positions.map(({ profitUsd }) => profitUsd),
      ...realised.map(({ realisedUsd }) => realisedUsd),
    ]),
    stats: lendingStats(
      context.catalog,
      parts.flatMap(({ accounts }) => accounts),
    ),
    unread: parts.flatMap(({ unread }) => unread),
    unsearched: parts.flatMap(({ unsearched }) => unsearched),
    ...(fault && {
      missing: networks.flatMap(({ name }, at) => (results[at] instanceof AppError ? [name] : [])),
    }),
  }
}

/** Returns the error if a chain does not answer. */
const orRpcError = <value>(work: Promise<value>): Promise<value | AppError> =>
  work.catch((error: unknown) => {
    if (isChainFault(error)) return error
    throw error
  })

/**
 * The positions of a wallet on one chain, with principal and profit from its logs. Strategies whose contracts do not answer are listed as
 * `unread`.
 */
export async function chainWallet(context: EngineContext, chainId: number, address: Address) {
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  // The states of all markets, and what their rates need of the past, are read in parallel with the positions, which may be
  // in any market; rates only for the shown markets.
  const [states, invested, accounts, results] = await Promise.all([
    readChainMarkets(context, chainId, here).then(async (read) => {
      await context.readPastRates(chainId)(read.rows, read.head)
      return read
    }),
    readInvestedHoldings(context, chainId, address),
    context.lendingAccounts(address, chainId),
    readQueued(context, here, address),
  ])
  const queued = await assignSharedRequests(context, results.queued, address)
  const rows = withQueuedOnly(invested.filter(hasPosition), queued, invested)
  const closed = invested.filter((one) => (one.invested?.realised ?? 0n) !== 0n)
  const shown = [...rows, ...closed].map(({ market }) => states.rows.find((one) => one.market === market)!)
  const rated = await context.rateReader(chainId)(shown, states.head)
  const positions = rows.map((one, at) => ({
    ...positionOf(one, rated[at]!),
    ...queuedFields(one.market, queued, rated[at]!.price),
  }))
  return {
    positions,
    realised: closed.map((one, at) => realisedProfitOf(one, rated[rows.length + at]!)),
    accounts,
    unread: invested.filter(({ balance }) => balance === null).map(({ market }) => market.entry.slug),
    unsearched: results.unsearched.map(({ market, searchedAt }) => ({
      strategy: market.entry.slug,
      searchedAt: searchedAt === null ? null : new Date(searchedAt).toISOString(),
    })),
  }
}

/** Whether there is a position. In a market that does not answer, there is one if more was put in than taken out. */
const hasPosition = ({ shares, invested }: InvestedHolding): boolean =>
  shares === null ? invested !== null && invested.principal > 0n : shares > 0n

function positionOf(
  { market, balance, staked, invested }: InvestedHolding,
  rated: RatedMarket,
): Omit<Position, 'pending' | 'claimable' | 'queuedUsd'> {
  const principal = invested?.principal ?? null
  const profit = principal === null || balance === null ? null : balance - principal
  const { asset } = market.entry
  const strategy = strategyOf(rated)
  return {
    strategy,
    balance,
    principal,
    profit,
    balanceUsd: usd(balance, asset, rated.price),
    profitUsd: usd(profit, asset, rated.price),
    apy: strategy.apy,
    staked,
  }
}

/** The realised profit of a strategy, valued in USD at the current price of its asset. */
function realisedProfitOf({ market, invested }: InvestedHolding, rated: RatedMarket): RealisedProfit {
  const { realised } = invested!
  const { slug, asset } = market.entry
  return { strategy: slug, asset: assetRef(asset), realised, realisedUsd: usd(realised, asset, rated.price) }
}

const assetRef = ({ symbol, address, decimals }: StrategyEntry['asset']) => ({ symbol, address, decimals })
