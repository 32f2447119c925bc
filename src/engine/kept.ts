import type { Page } from '../api/page.ts'
import type { Analytics } from '../api/recommendation.ts'
import type { Strategy } from '../api/strategy.ts'
import type { Catalog } from '../domain/catalog.ts'
import { type BlockRef, type Chain, headOf } from './chain.ts'
import { fresh } from './fresh.ts'
import type { Market } from './markets/market.ts'
import { type PageAsk, paged } from './paged.ts'
import { sumUsd } from './prices.ts'
import { type Standing, standingsOn, strategyOf } from './standings.ts'

/** A market as it stands, and as the service shows it. */
export type Shown = Standing & { strategy: Strategy }

/** All strategies at one state of their chains. As long as no chain moves on, each page of it is the same object. */
export type Listing = { page: (ask: PageAsk) => Page<Strategy>; analytics: Analytics }

/** How the markets stand now: all of one chain, or all of them as lists. */
export type Kept = { on: (chainId: number) => Promise<readonly Shown[]>; listing: () => Promise<Listing> }

/**
 * Reads the markets of a chain again only when its newest block is another one: a state is that of its block. What is asked of a chain
 * for every request is only that block, and many requests share the question.
 */
export function keptMarkets(
  catalog: Catalog,
  markets: readonly Market[],
  chain: (chainId: number) => Chain,
): Kept {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = new Map(
    chainIds.map((chainId) => {
      const here = markets.filter(({ entry }) => entry.chainId === chainId)
      return [chainId, keptOn(catalog, here, () => chain(chainId))] as const
    }),
  )
  const on = async (chainId: number) => (await perChain.get(chainId)?.()) ?? []
  let last: { parts: readonly (readonly Shown[])[]; listing: Listing } | undefined
  return {
    on,
    listing: async () => {
      const parts = await Promise.all(chainIds.map(on))
      if (!last?.parts.every((part, at) => part === parts[at]))
        last = { parts, listing: listingOf(parts.flat().map(({ strategy }) => strategy)) }
      return last.listing
    },
  }
}

function keptOn(catalog: Catalog, markets: readonly Market[], chain: () => Chain) {
  let kept: { head: BlockRef; rows: readonly Shown[] } | undefined
  return fresh(async () => {
    const head = await headOf(chain())
    if (kept?.head.number === head.number && kept.head.hash === head.hash) return kept.rows
    // What is read now may be of a newer block than this, which the next request will find out.
    const rows = (await standingsOn(catalog, chain(), markets)).map((row) => ({ ...row, at: head.timestamp }))
    kept = { head, rows: rows.map((row) => ({ ...row, strategy: strategyOf(row) })) }
    return kept.rows
  })
}

const byApy = (a: Strategy, b: Strategy) => (b.apy ?? -1) - (a.apy ?? -1) || a.slug.localeCompare(b.slug)

/** The best rate first. Pages beyond the last are not kept: there is no end of them. */
function listingOf(unsorted: readonly Strategy[]): Listing {
  const all = unsorted.toSorted(byApy)
  const pages = new Map<string, Page<Strategy>>()
  return {
    page: ({ page = 1, limit = 10 }) => {
      const name = `${page} ${limit}`
      const made = pages.get(name) ?? paged(all, { page, limit })
      if (made.items.length > 0) pages.set(name, made)
      return made
    },
    analytics: totals(all),
  }
}

/** Totals over all strategies; the average and the best are of those that are not paused. */
function totals(all: readonly Strategy[]): Analytics {
  const active = all.filter(({ paused, apy }) => paused === false && apy !== null)
  return {
    totalTvlUsd: sumUsd(all.map(({ tvlUsd }) => tvlUsd)),
    averageApy: active.length === 0 ? 0 : active.reduce((sum, { apy }) => sum + apy!, 0) / active.length,
    strategyCount: all.length,
    topStrategies: active.slice(0, 5),
  }
}
