import type { Strategy } from '../api/strategy.ts'
import { headOf } from './chain.ts'
import { type Context, marketNamed } from './context.ts'
import type { Market } from './markets/market.ts'
import { type Standing, standingsOn } from './standings.ts'

/** How some markets stand, read now: one call a chain, chains side by side. */
export async function standings(context: Context, markets: readonly Market[]): Promise<Standing[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map(async (id) => {
      const here = markets.filter(({ entry }) => entry.chainId === id)
      const chain = context.chain(id)
      const [rows, { timestamp: at }] = await Promise.all([
        standingsOn(context.catalog, chain, here),
        headOf(chain),
      ])
      return rows.map((row) => ({ ...row, at }))
    }),
  )
  const all = perChain.flat()
  return markets.map((market) => all.find((standing) => standing.market === market)!)
}

/** One strategy, by id or slug. */
export async function oneStrategy(context: Context, id: string): Promise<Strategy> {
  const market = marketNamed(context, id)
  const here = await context.kept.on(market.entry.chainId)
  return here.find((shown) => shown.market === market)!.strategy
}
