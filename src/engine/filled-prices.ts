import type { Market } from './markets/market.ts'
import type { OutsidePrices } from './outside-prices.ts'
import type { Price } from './prices.ts'

/** Rows of markets of one chain, of which some may have no price. */
type Rows<row> = readonly (row & { market: Market; price: Price })[]

/** Puts in the prices that no contract says. They are shown, and nothing that is signed is decided by them. */
export type Filled = <row>(rows: Rows<row>) => Promise<Rows<row>>

/** Prices are apart by more than that when they contradict each other. */
const apart = 0.05

/**
 * Prices from outside for what the chain itself does not price. All markets of the chain are asked for, whatever rows there are: what
 * somebody holds is nobody's business. Who contradicts the chain on most of what both price is not believed at all.
 */
export function filledFrom(outside: OutsidePrices | undefined, markets: readonly Market[]): Filled {
  if (!outside) return async (rows) => rows
  return async (rows) => {
    const chainId = rows[0]?.market.entry.chainId
    if (rows.every(({ price }) => price !== null)) return rows
    const assets = new Map(
      markets.flatMap(({ entry }) => (entry.chainId === chainId ? [[entry.asset.address, entry.asset]] : [])),
    )
    const tokens = [...assets.values()]
    const prices = await outside(tokens)
    const said = new Map(tokens.map(({ address }, at) => [address, prices[at] ?? null]))
    const both = rows.flatMap(({ market, price }) => {
      const other = said.get(market.entry.asset.address)
      return price === null || other == null ? [] : [Math.abs(Number(other) / Number(price) - 1)]
    })
    if (both.filter((distance) => distance > apart).length * 2 > both.length) return rows
    return rows.map((row) => ({
      ...row,
      price: row.price ?? said.get(row.market.entry.asset.address) ?? null,
    }))
  }
}
