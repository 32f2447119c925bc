import type { Strategy } from '../api/strategy.ts'
import type { Analytics } from '../api/strategy-totals.ts'
import { sumUsd } from '../domain/usd.ts'

/** Totals over all strategies. The average and the best rates exclude paused strategies. */
export function strategyTotals(all: readonly Strategy[]): Analytics {
  const active = all.filter(({ paused, apy }) => paused === false && apy !== null)
  return {
    totalTvlUsd: sumUsd(all.map(({ tvlUsd }) => tvlUsd)),
    averageApy: active.length === 0 ? 0 : active.reduce((sum, { apy }) => sum + apy!, 0) / active.length,
    strategyCount: all.length,
    topStrategies: active.slice(0, 5),
    unpriced: all.filter(({ tvlUsd }) => tvlUsd === null).length,
  }
}
