import type { Strategy } from '../../api/strategy.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { RatedMarket } from '../market-cache.ts'
import { averageDays, dayOf, type IndexPoint, pointOf, snapshotKey } from './annualized-rate.ts'
import { seriesRates } from './daily-rates.ts'

/** The index of markets on past days, oldest first, by snapshot key. */
type DailyPoints = ReadonlyMap<string, readonly IndexPoint[]>

/**
 * Reads the stored days before a time in Unix seconds. The result is the same object while nothing changed.
 */
export type DailyPointsReader = (at: number) => Promise<DailyPoints>

/** An empty set of days. */
export const noDailyPoints: DailyPoints = new Map()

/** How often days stored by other processes are read, in seconds of the chain. */
const refreshSeconds = 3_600

/**
 * Reads the stored days of the markets of one chain, without reading the chain: a block reorganised since changes
 * little. The days are read again after a detail request has stored more of them, so that lists agree with it.
 */
export function dailyPointsReader(store: EngineStore, chainId: number): DailyPointsReader {
  let last: { when: string; days: ReturnType<DailyPointsReader> } | undefined
  return (at) => {
    const when = `${Math.floor(at / refreshSeconds)} ${store.pastReadings()}`
    if (last?.when === when) return last.days
    const days = readDailyPoints(store, chainId, dayOf(at))
    const read = { when, days }
    last = read
    days.catch(() => {
      if (last === read) last = undefined
    })
    return days
  }
}

async function readDailyPoints(
  store: EngineStore,
  chainId: number,
  today: number,
): Promise<Map<string, IndexPoint[]>> {
  const rows = await store.snapshots(chainId, { from: today - averageDays - 1, to: today - 1 })
  const by = Map.groupBy(rows, ({ market }) => market)
  return new Map([...by].map(([market, its]) => [market, its.map(pointOf)]))
}

/** Adds the rates of the stored days to a strategy. */
export function withDailyRates(
  { market, strategy, state, at }: RatedMarket & { strategy: Strategy },
  before: DailyPoints,
): Strategy {
  const days = (before.get(snapshotKey(market)) ?? []).filter((point) => point.at < at)
  if (!state || days.length === 0) return strategy
  const rates = seriesRates(market, [...days, { at, index: state.index }], {
    apy: strategy.apy,
    reward: null,
  })
  return rates === null ? strategy : { ...strategy, rates }
}
