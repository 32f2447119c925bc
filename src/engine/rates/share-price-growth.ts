import { type BlockTime, blockBefore } from '../../chain/block-by-timestamp.ts'
import { optional, together } from '../../chain/composable-reading.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import { read } from '../../chain/run-readings.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { RateReader } from '../market-types.ts'
import { daySeconds, yearlyRate, yearSeconds } from './annualized-rate.ts'

/** The period over which growth is measured, in seconds: longer than any vault takes to pay out its earnings. */
const windowSeconds = 7 * daySeconds
/** How long past indexes are cached, in seconds of the chain. */
const maxAgeSeconds = 3_600

type PastIndexes = { readAt: number; block: BlockTime; index: ReadonlyMap<Market, bigint | undefined> }

/**
 * Derives the rates that no contract states from the share price now and a week ago. If the node lacks that
 * state, or the market is younger, the rate stays unknown.
 */
export function sharePriceGrowthReader(chain: () => Chain): RateReader {
  let past: PastIndexes | undefined
  const pastOf = async (markets: readonly Market[], head: BlockTime): Promise<PastIndexes | undefined> => {
    const isKnown = past && markets.every((market) => past?.index.has(market))
    if (past && isKnown && head.timestamp >= past.readAt && head.timestamp - past.readAt < maxAgeSeconds)
      return past
    // A missing rate does not fail the request.
    past = await undefinedIfUnanswered(readPastIndexes(chain(), markets, head))
    return past
  }
  return async (rows, head) => {
    const unknown = rows.flatMap(({ market, state }) => (state?.apy === null ? [market] : []))
    const then = unknown.length === 0 ? undefined : await pastOf(unknown, head)
    return rows.map((row) => {
      const { market, state } = row
      const before = state?.apy === null ? then?.index.get(market) : undefined
      const seconds = head.timestamp - (then?.block.timestamp ?? head.timestamp)
      if (!state || !before) return row
      const ratio = Number(state.index) / Number(before)
      const rates = {
        apr: ((ratio - 1) * (market.simpleYear ?? yearSeconds)) / seconds,
        apy: yearlyRate(market, ratio, seconds),
      }
      if (!Number.isFinite(rates.apy)) return row
      return { ...row, state: { ...state, ...rates }, basis: 'trailing-7d' as const }
    })
  }
}

async function readPastIndexes(
  chain: Chain,
  markets: readonly Market[],
  head: BlockTime,
): Promise<PastIndexes> {
  const block = await blockBefore(chain, head.timestamp - windowSeconds, head)
  const prices = block
    ? await read(chain, together(markets.map((market) => optional(market.index))), block.number)
    : []
  return {
    readAt: head.timestamp,
    block: block ?? { number: 0n, timestamp: head.timestamp },
    index: new Map(markets.map((market, at) => [market, prices[at]])),
  }
}
