import type { Strategy } from '../../api/strategy.ts'
import { type BlockRef, latestBlock } from '../../chain/chain.ts'
import type { Market } from '../../protocols/market.ts'
import { type Context, marketNamed, type Standing } from '../context.ts'
import { standingsOn } from './market-state.ts'

/** How some markets stand, read now: one call a chain, chains side by side. */
export const standings = (context: Context, markets: readonly Market[]): Promise<Standing[]> =>
  standingBy(context, markets, async (_, rows) => rows)

/** The same with the rates that are only known by growth. */
export const grownStandings = (context: Context, markets: readonly Market[]): Promise<Standing[]> =>
  standingBy(context, markets, (chainId, rows, head) => context.grown(chainId)(rows, head))

type Grow = (chainId: number, rows: Standing[], head: BlockRef) => Promise<Standing[]>

async function standingBy(context: Context, markets: readonly Market[], grow: Grow): Promise<Standing[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map(async (id) => {
      const here = markets.filter(({ entry }) => entry.chainId === id)
      const chain = context.chain(id)
      const [rows, head] = await Promise.all([
        standingsOn(context.catalog, chain, here).then(context.filled),
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
export async function oneStrategy(context: Context, id: string): Promise<Strategy> {
  const market = marketNamed(context, id)
  const { chainId } = market.entry
  const here = await context.kept.on(chainId)
  const shown = here.find((one) => one.market === market)!
  return context.detailed(chainId)(shown)
}
