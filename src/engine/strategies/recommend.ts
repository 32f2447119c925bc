import type { Recommendation, RecommendationInput } from '../../api/recommendation.ts'
import { formatAmount } from '../../domain/amount.ts'
import { apyBases } from '../../domain/apy-basis.ts'
import { categories } from '../../domain/categories.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { assetCalled } from '../../domain/text/token-symbols.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import { routeNetworkNamed } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { fieldError } from '../field-error.ts'
import type { ListedMarket } from '../market-cache.ts'
import { acceptsBridgedFunds, bridgedTokenOn } from '../unsigned-transactions/cross-chain-deposit.ts'
import { strategyBytecode } from '../unsigned-transactions/strategy-transactions.ts'

/**
 * Recommends the strategy with the highest rate that is open for the action, by asset symbol or category, in
 * any casing.
 */
export async function recommend(context: EngineContext, input: RecommendationInput): Promise<Recommendation> {
  const { wallet, amount, action = 'lend' } = input
  if (wallet !== undefined && amount === undefined)
    throw fieldError('amount', 'is missing', { text: 'wallet needs an amount' })
  const wanted = input.identifier.toLowerCase()
  const isCategory = (categories as readonly string[]).includes(wanted)
  const isNamed = assetCalled(wanted, [
    ...context.catalog.tokens,
    ...context.markets.map(({ entry }) => entry.asset),
  ])
  const named = context.markets.filter(({ entry }) =>
    isCategory ? entry.category === wanted : isNamed(entry.asset),
  )
  const reachable = named.filter((market) => isReachable(context, market, input))
  const chainIds = [...new Set(reachable.map(({ entry }) => entry.chainId))]
  const parts = await context.marketCache.onChains(chainIds)
  const missing = chainIds
    .filter((_, at) => parts[at]!.length === 0)
    .map((chainId) => networkNamed(context.catalog.networks, chainId).name)
  const rows = parts
    .flat()
    .filter(({ market }) => reachable.includes(market))
    .filter(({ state }) => (action === 'lend' ? acceptsDeposit(state, amount) : state?.canWithdraw))
  const best = rows.reduce<ListedMarket | undefined>(
    (a, b) => (a && (a.state!.apy ?? -1) >= (b.state!.apy ?? -1) ? a : b),
    undefined,
  )
  if (!best) {
    const full =
      action === 'lend'
        ? parts.flat().filter((one) => reachable.includes(one.market) && lacksCapacity(one))
        : []
    const where = input.from || input.to ? ' between these networks' : ''
    throw new AppError(
      'STRATEGY_NOT_FOUND',
      full.length > 0
        ? `No open strategy for "${input.identifier}"${where} has enough capacity: ${full.map(remainingCapacity).join(', ')}`
        : `There is no open strategy for "${input.identifier}"${where}`,
      {
        details: { identifier: input.identifier, ...(missing.length > 0 && { missing }) },
      },
    )
  }
  const { strategy } = best
  const made =
    wallet && amount !== undefined
      ? await strategyBytecode(context, {
          id: strategy.slug,
          action,
          amount,
          wallet,
          ...(input.from && action === 'lend' && { from: input.from }),
        })
      : undefined
  return {
    recommendedStrategyId: strategy.id,
    destinationChain: strategy.network,
    strategy,
    spotPosition: {
      apy: strategy.apy,
      tvlUsd: strategy.tvlUsd,
      liquidity: best.state!.liquidity?.toString() ?? null,
    },
    transactions: made?.bytecode ?? null,
    actionId: made?.id ?? null,
    compared: rateComparison(rows),
    ...(missing.length > 0 && { missing }),
  }
}

/** How many strategies of each rate basis were compared, and the best of each. */
const rateComparison = (rows: readonly ListedMarket[]): NonNullable<Recommendation['compared']> =>
  apyBases.flatMap((apyBasis) => {
    const of = rows.flatMap(({ strategy }) => (strategy.apyBasis === apyBasis ? [strategy] : []))
    const best = of.toSorted((a, b) => b.apy! - a.apy!)[0]
    return best ? [{ apyBasis, count: of.length, best: best.slug, apy: best.apy! }] : []
  })

/** Whether a market takes a deposit of this size now. */
const acceptsDeposit = (state: MarketState | undefined, amount = 1n): boolean =>
  state?.canDeposit === true && (state.headroom === null || amount <= state.headroom)

/**
 * Whether a market takes deposits but has a limit. It is called for markets that were not accepted, so the
 * limit is too low.
 */
const lacksCapacity = ({ state }: ListedMarket): boolean =>
  state?.canDeposit === true && state.headroom !== null

/** The remaining capacity of a market, in words. */
const remainingCapacity = ({ market: { entry }, state }: ListedMarket): string =>
  `${entry.slug} accepts at most ${formatAmount(state!.headroom!, entry.asset)} more`

/**
 * Whether a market is on the requested destination and can be reached from the requested origin: it is on the
 * same network, or it accepts what a bridge delivers of its asset. A withdrawal starts and ends on the
 * network of the market.
 */
function isReachable(
  context: EngineContext,
  market: Market,
  { from, to, action }: RecommendationInput,
): boolean {
  const { chainId } = market.entry
  const origin = from === undefined ? chainId : routeNetworkNamed(context, from).chainId
  if (to !== undefined && routeNetworkNamed(context, to).chainId !== chainId) return false
  if (origin === chainId) return true
  return (
    action !== 'withdraw' &&
    acceptsBridgedFunds(market) &&
    bridgedTokenOn(context, market, origin) !== undefined
  )
}
