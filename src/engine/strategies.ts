import type { Page } from '../api/page.ts'
import type { Analytics } from '../api/recommendation.ts'
import type { Strategy } from '../api/strategy.ts'
import { type Chain, headOf, read } from './chain.ts'
import { type Context, marketNamed } from './context.ts'
import type { Market, MarketState } from './markets/market.ts'
import { type Price, priceOf, sumUsd, usd } from './prices.ts'
import { optional, type Reading, together } from './reading.ts'
import { ray } from './readings/reserve.ts'

/** A market as it stands: `state` is `undefined` where its contracts did not answer. */
export type Standing = { market: Market; state: MarketState | undefined; price: Price; at: number }

/** Reads many markets: one call a chain, chains side by side. */
export async function standings(context: Context, markets: readonly Market[]): Promise<Standing[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map((id) =>
      standingsOn(
        context,
        context.chain(id),
        markets.filter(({ entry }) => entry.chainId === id),
      ),
    ),
  )
  const all = perChain.flat()
  return markets.map((market) => all.find((standing) => standing.market === market)!)
}

async function standingsOn(
  { catalog }: Context,
  chain: Chain,
  markets: readonly Market[],
): Promise<Standing[]> {
  const readings = markets.map((market): Reading<Omit<Standing, 'at'>> => {
    const state = optional(market.state)
    const price = priceOf(catalog, market.entry.asset)
    return {
      reads: [...state.reads, ...price.reads],
      parse: (answers) => ({
        market,
        state: state.parse(answers.slice(0, state.reads.length)),
        price: price.parse(answers.slice(state.reads.length)),
      }),
    }
  })
  const [rows, head] = await Promise.all([read(chain, together(readings)), headOf(chain)])
  return rows.map((row) => ({ ...row, at: head.timestamp }))
}

/** A standing as the service shows it. */
export function strategyOf({ market, state, price, at }: Standing): Strategy {
  const { entry } = market
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
      ? [...(state.canDeposit ? ['lend'] : []), ...(state.canWithdraw ? ['withdraw'] : [])]
      : null,
    paused: state ? !(state.canDeposit && state.canWithdraw) : null,
    apy: state ? state.apy : null,
    inceptionApy:
      state && entry.startDate ? sinceInception(state.index, at - Date.parse(entry.startDate) / 1000) : null,
    avgApy: null,
    tvlUsd: state ? usd(state.tvl, entry.asset, price) : null,
    fee: '0',
    performanceFeeBps: '0',
    isDefault: entry.isDefault,
    startDate: entry.startDate,
    metadata: entry.metadata,
    logourl: entry.logourl,
    implementationSelector: entry.implementationSelector,
  }
}

const year = 31_536_000

/** The yearly growth that an index shows since the market began; under a day says too little. */
function sinceInception(index: bigint, seconds: number): number | null {
  if (seconds < 86_400) return null
  return (Number(index) / Number(ray)) ** (year / seconds) - 1
}

const byApy = (a: Strategy, b: Strategy) => (b.apy ?? -1) - (a.apy ?? -1) || a.slug.localeCompare(b.slug)

/** All strategies, the best rate first. */
export async function allStrategies(context: Context): Promise<Strategy[]> {
  return (await standings(context, context.markets)).map(strategyOf).sort(byApy)
}

/** One page of a list. */
export function paged<item>(
  items: readonly item[],
  { page = 1, limit = 10 }: { page?: number | undefined; limit?: number | undefined },
): Page<item> {
  const shown = items.slice((page - 1) * limit, page * limit)
  return { items: shown, page, limit, total: items.length, hasMore: page * limit < items.length }
}

/** One strategy, by id or slug. */
export async function oneStrategy(context: Context, id: string): Promise<Strategy> {
  const [standing] = await standings(context, [marketNamed(context, id)])
  return strategyOf(standing!)
}

/** Totals over all strategies that are not paused. */
export async function analytics(context: Context): Promise<Analytics> {
  const all = await allStrategies(context)
  const active = all.filter(({ paused, apy }) => paused === false && apy !== null)
  return {
    totalTvlUsd: sumUsd(all.map(({ tvlUsd }) => tvlUsd)),
    averageApy: active.length === 0 ? 0 : active.reduce((sum, { apy }) => sum + apy!, 0) / active.length,
    strategyCount: all.length,
    topStrategies: active.slice(0, 5),
  }
}
