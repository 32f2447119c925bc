import { type Page, type PageRequest, pageOf } from '../api/page.ts'
import type { Strategy } from '../api/strategy.ts'
import type { Analytics } from '../api/strategy-totals.ts'
import { type BlockRef, latestBlock } from '../chain/head.ts'
import type { Chain } from '../chain/network-client.ts'
import type { ApyBasis } from '../domain/apy-basis.ts'
import type { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import { sumUsd } from '../domain/usd.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Market } from '../protocols/market-adapter.ts'
import { isChainFault, isTimeout, withAllNetworks } from './chain-faults.ts'
import type { PriceFiller } from './prices/external-prices.ts'
import type { PastRateReader, RateReader } from './rates/current-rates.ts'
import { type DailyPointsReader, noDailyPoints, withDailyRates } from './rates/stored-daily-points.ts'
import { type AnswerReuse, coalesceRequests } from './request-coalescing.ts'
import { type MarketReading, readMarketsOnChain } from './strategies/market-state.ts'
import { strategyOf } from './strategies/strategy-answer.ts'
import { undefinedIfRefused } from './undefined-if-unread.ts'

/**
 * A market with its rates at time `at`, in Unix seconds. `startedAt` is the start of the market, `averageApy` its
 * realised rate over the last 30 days, `inceptionApy` over its whole life; `null` is unknown. Without a `basis`, the
 * rate is the current one.
 */
export type RatedMarket = MarketReading & {
  at: number
  basis?: ApyBasis
  startedAt?: number | null
  averageApy?: number | null
  inceptionApy?: number | null
}

/** A rated market with the strategy that the service returns for it. */
export type ListedMarket = RatedMarket & { strategy: Strategy }

/**
 * All strategies at one state of their chains. Until a chain has a new block, each page is the same object.
 */
type StrategyListing = { page: (ask: PageRequest) => Page<Strategy>; analytics: Analytics }

/** The current markets: of one chain, of several chains (those that answer), or of all chains as a list. */
export type MarketCache = {
  onChain: (chainId: number) => Promise<readonly ListedMarket[]>
  onChains: (chainIds: readonly number[]) => Promise<readonly (readonly ListedMarket[])[]>
  listing: () => Promise<StrategyListing>
  /** Totals over all chains. They fail if a chain does not answer, because a partial sum would be wrong. */
  totals: () => Promise<Analytics>
}

/**
 * Called when the rows of a chain are left out, with the reason, and with `null` when they are back. `isThrown`: no chain answered, and this
 * reason is also the error.
 */
export type OnMissingNetwork = (network: Network, fault: AppError | null, isThrown?: boolean) => void

/**
 * The dependencies of the market cache. With `answerReuse`, the rows of a chain are at most `answerReuse.ms`
 * older than the request, and a list at most twice that.
 */
type MarketCacheOptions = {
  onMissingNetwork: OnMissingNetwork
  now: () => number
  rateReader: (chainId: number) => RateReader
  fillDays: (chainId: number) => PastRateReader
  dailyPoints: (chainId: number) => DailyPointsReader
  fillPrices: PriceFiller
  answerReuse?: AnswerReuse | undefined
}

/**
 * How long lists omit a chain that did not answer in time before it is tried again, in ms. A timeout takes long, and so do the retries at a
 * node that fails, so they are not repeated for each list; an error that comes quickly is.
 */
const retryAfterMs = 5_000

/** What takes longer counts as no answer in time, in ms. */
const slowMs = 1_000

const noRows: readonly ListedMarket[] = []

/**
 * Creates a cache that reads the markets of a chain again only when the chain has a new block. Each request reads
 * only the newest block, and concurrent requests share that read.
 */
export function createMarketCache(
  catalog: Catalog,
  markets: readonly Market[],
  chain: (chainId: number) => Chain,
  { onMissingNetwork, now, rateReader, fillDays, dailyPoints, fillPrices, answerReuse }: MarketCacheOptions,
): MarketCache {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = new Map(
    chainIds.map((chainId) => {
      const chainMarkets = markets.filter(({ entry }) => entry.chainId === chainId)
      return [
        chainId,
        chainCache(catalog, chainMarkets, () => chain(chainId), {
          rateReader: rateReader(chainId),
          fillDays: fillDays(chainId),
          fillPrices,
          answerReuse,
        }),
      ] as const
    }),
  )
  const onChain = async (chainId: number) => {
    const rows = (await perChain.get(chainId)?.()) ?? noRows
    silent.delete(chainId)
    onMissingNetwork(named(chainId), null)
    return rows
  }
  const silent = new Map<number, { chainId: number; fault: AppError; at: number }>()
  /**
   * Reads several chains. A chain that does not answer loses its own rows only; if none answers, the first
   * error is thrown.
   */
  const onChains = async (ids: readonly number[]) => {
    const asked = await Promise.all(
      ids.map(async (chainId) => {
        const began = performance.now()
        try {
          const last = silent.get(chainId)
          if (last && now() - last.at < retryAfterMs) return last
          return { rows: await onChain(chainId) }
        } catch (error) {
          if (!isChainFault(error)) throw error
          const last = { chainId, fault: error, at: now() }
          if (isTimeout(error) || performance.now() - began > slowMs) silent.set(chainId, last)
          return last
        }
      }),
    )
    const faults = asked.flatMap((one) => ('fault' in one ? [one] : []))
    const thrown = faults.length === asked.length ? faults[0] : undefined
    for (const one of faults) onMissingNetwork(named(one.chainId), one.fault, one === thrown)
    if (thrown) throw withAllNetworks(thrown.fault, ids.map(named))
    return asked.map((one) => ('fault' in one ? noRows : one.rows))
  }
  const named = (chainId: number): Network => networkNamed(catalog.networks, chainId)
  const missingIn = (parts: readonly (readonly ListedMarket[])[]): string[] =>
    chainIds.filter((_, at) => parts[at] === noRows).map((id) => named(id).name)
  let last: { made: readonly unknown[]; listing: StrategyListing } | undefined
  const listed = async (parts: readonly (readonly ListedMarket[])[]): Promise<StrategyListing> => {
    const before = await Promise.all(
      parts.map(async ([row], at) => (row ? await dailyPoints(chainIds[at]!)(row.at) : noDailyPoints)),
    )
    const made = [...parts, ...before]
    if (!last?.made.every((one, at) => one === made[at])) {
      const rows = parts.flatMap((part, at) => part.map((row) => withDailyRates(row, before[at]!)))
      last = { made, listing: listingOf(rows, missingIn(parts)) }
    }
    return last.listing
  }
  const listing = async () => listed(await onChains(chainIds))
  return {
    onChain,
    onChains,
    listing: answerReuse ? coalesceRequests(listing, answerReuse) : listing,
    totals: async () => (await listed(await Promise.all(chainIds.map(onChain)))).analytics,
  }
}

function chainCache(
  catalog: Catalog,
  markets: readonly Market[],
  chain: () => Chain,
  {
    rateReader,
    fillDays,
    fillPrices,
    answerReuse,
  }: { rateReader: RateReader; fillDays: PastRateReader } & Pick<
    MarketCacheOptions,
    'fillPrices' | 'answerReuse'
  >,
) {
  let cached: { head: BlockRef | undefined; rows: readonly ListedMarket[] } | undefined
  const shown = async (
    rows: readonly Omit<RatedMarket, 'at'>[],
    head: BlockRef,
  ): Promise<readonly ListedMarket[]> => {
    const dated = rows.map((row) => ({ ...row, at: head.timestamp }))
    const [all] = await Promise.all([rateReader(dated, head), fillDays(dated, head)])
    return all.map((row) => ({ ...row, strategy: strategyOf(row) }))
  }
  const readRows = async (block?: bigint) =>
    fillPrices(await readMarketsOnChain(catalog, chain(), markets, block))
  return coalesceRequests(async () => {
    if (!cached) {
      // The first time, block and markets are read in parallel, in one round trip. Their order is unknown, so
      // the next request does not treat these rows as the state of that block.
      const [head, rows] = await Promise.all([latestBlock(chain()), readRows()])
      cached = { head: undefined, rows: await shown(rows, head) }
      return cached.rows
    }
    const head = await latestBlock(chain())
    if (cached.head?.number === head.number && cached.head.hash === head.hash) return cached.rows
    // Read at exactly that block, because another node may answer. If the node lacks the block, return its
    // newest state and do not cache it for the block.
    const exact = await undefinedIfRefused(readRows(head.number))
    cached = { head: exact && head, rows: await shown(exact ?? (await readRows()), head) }
    return cached.rows
  }, answerReuse)
}

const byApy = (a: Strategy, b: Strategy) => (b.apy ?? -1) - (a.apy ?? -1) || (a.slug < b.slug ? -1 : 1)

/**
 * Sorts strategies by rate, best first. `missing` names the networks whose markets are left out. Empty pages
 * are not cached, because there is no limit to their number.
 */
function listingOf(unsorted: readonly Strategy[], missing: string[]): StrategyListing {
  const all = unsorted.toSorted(byApy)
  const pages = new Map<string, Page<Strategy>>()
  return {
    page: ({ page = 1, limit = 10 }) => {
      const name = `${page} ${limit}`
      const made = pages.get(name) ?? {
        ...pageOf(all, { page, limit }),
        ...(missing.length > 0 && { missing }),
      }
      if (made.items.length > 0) pages.set(name, made)
      return made
    },
    analytics: strategyTotals(all),
  }
}

/** Totals over all strategies. The average and the best rates exclude paused strategies. */
function strategyTotals(all: readonly Strategy[]): Analytics {
  const active = all.filter(({ paused, apy }) => paused === false && apy !== null)
  return {
    totalTvlUsd: sumUsd(all.map(({ tvlUsd }) => tvlUsd)),
    averageApy: active.length === 0 ? 0 : active.reduce((sum, { apy }) => sum + apy!, 0) / active.length,
    strategyCount: all.length,
    topStrategies: active.slice(0, 5),
    unpriced: all.filter(({ tvlUsd }) => tvlUsd === null).length,
  }
}
