import { ask } from '../../chain/ask.ts'
import { optional, type Reading, together } from '../../chain/call.ts'
import { type BlockRef, latestBlock } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Price } from '../../domain/usd.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import type { EngineContext } from '../engine.ts'
import type { RatedMarket } from '../market-cache.ts'
import { oncePerBlock } from '../once-per-block.ts'

/** The result of reading a market. `state` is `undefined` if its contracts did not answer. */
export type MarketReading = { market: Market; state: MarketState | undefined; price: Price }

/** Reads many markets of one chain in one call. */
export async function readMarketsOnChain(
  catalog: Catalog,
  chain: Chain,
  markets: readonly Market[],
  blockNumber?: bigint,
): Promise<MarketReading[]> {
  const readings = markets.map((market): Reading<MarketReading> => {
    const state = optional(market.state)
    const price = priceOf(catalog, market.entry.asset)
    return {
      reads: [...state.reads, ...price.reads],
      parse: (answers) => ({
        market,
        state: withFiniteRates(state.parse(answers.slice(0, state.reads.length))),
        price: price.parse(answers.slice(state.reads.length)),
      }),
    }
  })
  return ask(chain, together(readings), blockNumber)
}

/** Drops a state whose rates are not finite numbers. */
const withFiniteRates = (state: MarketState | undefined): MarketState | undefined =>
  state && [state.apr, state.apy].every((rate) => rate === null || Number.isFinite(rate)) ? state : undefined

/** Reads the current state of some markets: one call a chain, chains in parallel. */
export async function readMarkets(
  context: EngineContext,
  markets: readonly Market[],
): Promise<RatedMarket[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map((id) =>
      readChainMarkets(
        context,
        id,
        markets.filter(({ entry }) => entry.chainId === id),
      ),
    ),
  )
  const all = perChain.flatMap(({ rows }) => rows)
  return markets.map((market) => all.find((rated) => rated.market === market)!)
}

/** Reads the current state of markets of one chain, and its newest block. */
export async function readChainMarkets(
  context: EngineContext,
  chainId: number,
  markets: readonly Market[],
): Promise<{ rows: RatedMarket[]; head: BlockRef }> {
  const chain = context.chain(chainId)
  const [rows, head] = await Promise.all([
    oncePerBlock(chain, ['markets', ...markets.map(({ entry }) => entry.slug)], () =>
      readMarketsOnChain(context.catalog, chain, markets),
    ).then(context.fillPrices),
    latestBlock(chain),
  ])
  return { rows: rows.map((row) => ({ ...row, at: head.timestamp })), head }
}
