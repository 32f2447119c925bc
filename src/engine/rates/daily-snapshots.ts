import type { Strategy } from '../../api/strategy.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { RatedMarket } from '../context.ts'
import { seriesRates } from './daily-rates.ts'
import { averageDays, dayOf, type IndexPoint, pointOf, snapshotKey } from './rate-points.ts'

/** What markets were on days before, oldest first, by what it is kept under. */
type DailyPoints = ReadonlyMap<string, readonly IndexPoint[]>

/** What is kept of the days before that of a time in Unix seconds: the same object as long as it is the same. */
export type DailyPointsReader = (at: number) => Promise<DailyPoints>

/** Nothing is known of any day. */
export const noDailyPoints: DailyPoints = new Map()

/** What other processes keep in the same store is seen so often, in seconds of the chain. */
const refreshSeconds = 3_600

/**
 * The days that are kept of the markets of one chain, which is asked nothing for it: what was rearranged since is off by what a few
 * blocks pay. They are read again once somebody has had more of the past read, so that a list says what he was shown.
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

/** A strategy with what it paid on the days that are kept. */
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
