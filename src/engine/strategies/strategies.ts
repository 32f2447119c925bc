import type { Strategy } from '../../api/strategy.ts'
import { type BlockRef, latestBlock } from '../../chain/chain.ts'
import type { Market } from '../../protocols/market.ts'
import { type EngineContext, marketNamed, type RatedMarket } from '../context.ts'
import { readMarketsOnChain } from './market-state.ts'

/** How some markets stand, read now: one call a chain, chains side by side. */
export const readMarkets = (context: EngineContext, markets: readonly Market[]): Promise<RatedMarket[]> =>
  readMarketsPerChain(context, markets, async (_, rows) => rows)

/** The same with the rates that are only known by growth. */
export const readMarketsWithRates = (
  context: EngineContext,
  markets: readonly Market[],
): Promise<RatedMarket[]> =>
  readMarketsPerChain(context, markets, (chainId, rows, head) => context.rateReader(chainId)(rows, head))

type ChainRateReader = (chainId: number, rows: RatedMarket[], head: BlockRef) => Promise<RatedMarket[]>

async function readMarketsPerChain(
  context: EngineContext,
  markets: readonly Market[],
  grow: ChainRateReader,
): Promise<RatedMarket[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map(async (id) => {
      const here = markets.filter(({ entry }) => entry.chainId === id)
      const chain = context.chain(id)
      const [rows, head] = await Promise.all([
        readMarketsOnChain(context.catalog, chain, here).then(context.fillPrices),
        latestBlock(chain),
      ])
      return grow(
        id,
        rows.map((row) => ({ ...row, at: head.timestamp })),
        head,
      )
    }),
  )
  const all = perChain.flat()
  return markets.map((market) => all.find((standing) => standing.market === market)!)
}

/** One strategy, by id or slug, with what it paid lately. */
export async function strategyWithDetails(context: EngineContext, id: string): Promise<Strategy> {
  const market = marketNamed(context, id)
  const { chainId } = market.entry
  const here = await context.marketCache.onChain(chainId)
  const shown = here.find((one) => one.market === market)!
  return context.strategyDetails(chainId)(shown)
}
