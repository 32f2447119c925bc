import type { Strategy } from '../../api/strategy.ts'
import type { ApyBasis } from '../../domain/apy-basis.ts'
import { usd } from '../../domain/usd.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import type { MarketState } from '../../protocols/market-adapter.ts'
import type { MarketConstants } from '../../protocols/market-constants-union.ts'
import { descriptionOf, gradeOf, rateConventionOf } from '../../protocols/registry.ts'
import { marketNamed } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import type { RatedMarket } from '../market-cache.ts'

/** How a market's APY is computed, in words: its source, its compounding and the length of its year. */
function apyConventionOf(constants: MarketConstants, basis: ApyBasis, simpleYear?: number): string {
  if (basis === 'trailing-7d')
    return simpleYear === undefined
      ? 'growth of the last 7 days, compounded over 365 days'
      : `growth of the last 7 days, not compounded, over ${simpleYear / 86_400} days`
  return rateConventionOf(constants)
}

/** The texts of a market. The protocol's texts fill in those the market lacks. */
export function metadataWithDefaults({
  metadata,
  asset: { symbol },
  constants,
}: Pick<StrategyEntry, 'metadata' | 'asset' | 'constants'>): Record<string, unknown> {
  const known = {
    volatility: `Counted in ${symbol}: its value in USD follows the price of ${symbol}.`,
    description: descriptionOf(constants.family, symbol),
  }
  return { ...metadata, en: { ...known, ...(metadata?.en as Record<string, unknown> | undefined) } }
}

/**
 * Whether a market is closed. A market that takes no deposits for its own reason is not paused while withdrawals
 * work.
 */
const isPaused = ({ canDeposit, canWithdraw, closed }: MarketState): boolean =>
  !canWithdraw || !(canDeposit || closed?.deposit !== undefined)

/** A fraction in basis points, as text. */
const fractionInBps = (part: number | null | undefined): string | null =>
  part === null || part === undefined ? null : String(Math.round(part * 1e8) / 1e4)

/** The strategy that the service returns for a rated market. */
export function strategyOf(rated: RatedMarket): Strategy {
  const { market, state, price, startedAt = null, averageApy = null, inceptionApy = null } = rated
  const { entry, queue } = market
  const basis = state && state.apy !== null ? (rated.basis ?? 'current') : null
  const ref = { symbol: entry.asset.symbol, address: entry.asset.address, decimals: entry.asset.decimals }
  return {
    id: entry.id,
    slug: entry.slug,
    name: entry.name,
    protocol: entry.protocol,
    network: entry.network,
    chainId: entry.chainId,
    category: entry.category,
    asset: ref,
    underlying: ref,
    actions: state
      ? [
          ...(state.canDeposit && state.headroom !== 0n ? ['lend'] : []),
          ...(state.canWithdraw ? ['withdraw'] : []),
          ...(queue ? ['claim'] : []),
        ]
      : null,
    paused: state ? isPaused(state) : null,
    apy: state ? state.apy : null,
    apyBasis: basis,
    apyConvention: basis && apyConventionOf(entry.constants, basis, market.simpleYear),
    inceptionApy,
    avgApy: averageApy,
    tvlUsd: state ? usd(state.tvl, entry.asset, price) : null,
    liquidityUsd: state && state.liquidity !== null ? usd(state.liquidity, entry.asset, price) : null,
    fee: '0',
    performanceFeeBps: '0',
    protocolFeeBps: fractionInBps(state?.protocolFee),
    managementFeeBps: fractionInBps(state?.managementFee),
    receipt: null,
    isDefault: entry.isDefault,
    startDate:
      entry.startDate ??
      entry.launchDate ??
      (startedAt === null ? entry.familyLaunchDate : new Date(startedAt * 1000).toISOString()),
    rates: null,
    metadata: metadataWithDefaults(entry),
    logourl: entry.logourl,
    implementationSelector: entry.implementationSelector,
    grade: gradeOf(entry),
  }
}

/** Returns one strategy by id or slug, with its recent rates. */
export async function strategyWithDetails(context: EngineContext, id: string): Promise<Strategy> {
  const market = marketNamed(context, id)
  const { chainId } = market.entry
  const listed = context.marketCache
    .onChain(chainId)
    .then((onChain) => onChain.find((one) => one.market === market)!)
  return context.strategyDetails(chainId)(market, listed)
}
