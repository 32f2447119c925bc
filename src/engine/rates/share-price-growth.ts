import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import { yearlyRate, yearSeconds } from './annualized-rate.ts'
import type { RateReader } from './current-rates.ts'
import type { PastIndexReader } from './past-indexes.ts'

/**
 * Derives the rates that no contract states from the share price now and a week ago. If the node lacks that
 * state, or the market is younger, the rate stays unknown.
 */
export function sharePriceGrowthReader(weekAgo: PastIndexReader): RateReader {
  return async (rows, head) => {
    const unknown = rows.flatMap(({ market, state }) => (state?.apy === null ? [market] : []))
    if (unknown.length === 0) return [...rows]
    // A missing rate does not fail the request.
    const past = await undefinedIfUnanswered(weekAgo(unknown, head))
    if (typeof past !== 'object') return [...rows]
    const seconds = head.timestamp - past.block.timestamp
    return rows.map((row) => {
      const { market, state } = row
      const before = state?.apy === null ? past.index.get(market) : undefined
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
