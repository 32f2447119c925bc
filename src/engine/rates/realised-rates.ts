import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import type { RatedMarket } from '../market-cache.ts'
import {
  averageDays,
  dayOf,
  daySeconds,
  type IndexPoint,
  pointDaysAgo,
  pointOf,
  rateBetween,
  snapshotKey,
} from './annualized-rate.ts'
import type { RateReader } from './current-rates.ts'
import {
  canonicalSnapshots,
  lacksOldStates,
  snapshotsOf,
  storeLackOfOldStates,
} from './historical-snapshots.ts'
import { type Inception, inceptionPoint, knownInceptions } from './inception.ts'
import type { PastIndexReader } from './past-indexes.ts'

/** How often today's readings are looked up in the store, in seconds of the chain. */
const storeEverySeconds = 3_600

/**
 * Adds the realised rates of the markets of one chain: over the last 30 days (or since inception if that is
 * less), and since inception. For a node without old states, one reading a day is stored as time passes. Unknown
 * rates are left out and do not fail the list.
 */
export function realisedRateReader(
  store: EngineStore,
  chain: () => Chain,
  monthAgo: PastIndexReader,
): RateReader {
  let stored: { at: number; markets: ReadonlySet<Market> } | undefined
  const storeReadings = async (rated: readonly RatedMarket[], head: BlockRef): Promise<void> => {
    const age = head.timestamp - (stored?.at ?? 0)
    const isRecent = age >= 0 && age < storeEverySeconds
    if (isRecent && rated.every(({ market }) => stored?.markets.has(market))) return
    const readable = rated.flatMap(({ market, state }) => (state ? [{ market, index: state.index }] : []))
    await storeToday(store, chain().network.chainId, snapshotsOf(readable, head, 0))
    stored = { at: head.timestamp, markets: new Set(readable.map(({ market }) => market)) }
  }
  return async (rated, head) => {
    const storing = storeReadings(rated, head)
    storing.catch(() => undefined) // Awaited below: the past is read meanwhile.
    const markets = rated.map(({ market }) => market)
    const inceptions = await knownInceptions(store, chain().network.chainId, markets)
    const old = rated.flatMap(({ market, state }) =>
      state && !isYoung(inceptions.get(market), head.timestamp) ? [market] : [],
    )
    // What a node did not answer is read again for the next request.
    const points = await undefinedIfUnanswered(readMonthAgo(store, chain(), { monthAgo, markets: old }, head))
    await storing
    return rated.map((one) => withRealisedRates(one, inceptions.get(one.market), points?.get(one.market)))
  }
}

/** Whether a market began less than a month before a time in Unix seconds. */
export const isYoung = (inception: Inception | undefined, at: number): boolean =>
  inception !== undefined && inception.at > at - averageDays * daySeconds

/** Adds realised rates to a market. */
export function withRealisedRates(
  one: RatedMarket,
  inception: Inception | undefined,
  then: IndexPoint | undefined,
): RatedMarket {
  const { market, state, at } = one
  const start = inceptionPoint(inception)
  const now = state && { at, index: state.index }
  const from = isYoung(inception, at) ? start : then
  return {
    ...one,
    startedAt: inception?.at ?? null,
    averageApy: now && from && at - from.at >= daySeconds ? rateBetween(market, from, now) : null,
    inceptionApy: now && start && at - start.at >= daySeconds ? rateBetween(market, start, now) : null,
  }
}

/** Stores today's reading of each market that has none yet. */
async function storeToday(store: EngineStore, chainId: number, rows: readonly Snapshot[]): Promise<void> {
  const today = rows[0]?.day
  if (today === undefined) return
  const stored = await store.snapshots(chainId, { from: today, to: today })
  const known = new Set(stored.map(({ market }) => market))
  const missing = rows.filter(({ market }) => !known.has(market))
  if (missing.length > 0) await writeInBackground(store.storeSnapshots(chainId, missing, false))
}

/** The index of markets 30 days ago: from a block of that time, or from stored readings if the node lacks its state. */
async function readMonthAgo(
  store: EngineStore,
  chain: Chain,
  { monthAgo, markets }: { monthAgo: PastIndexReader; markets: readonly Market[] },
  head: BlockRef,
): Promise<Map<Market, IndexPoint>> {
  if (markets.length === 0) return new Map()
  if (!(await lacksOldStates(store, chain, head.timestamp))) {
    const past = await monthAgo(markets, head)
    if (past === 'young') return new Map()
    if (past !== 'refused') {
      const at = past.block.timestamp
      return new Map([...past.index].flatMap(([market, index]) => (index ? [[market, { at, index }]] : [])))
    }
    await storeLackOfOldStates(store, chain, head.timestamp)
  }
  const then = head.timestamp - averageDays * daySeconds
  const range = { from: dayOf(then) - 2, to: dayOf(then) + 1 }
  const canonical = await canonicalSnapshots(chain, await store.snapshots(chain.network.chainId, range))
  const by = Map.groupBy(canonical, ({ market }) => market)
  return new Map(
    markets.flatMap((market) => {
      const readings = (by.get(snapshotKey(market)) ?? []).map(pointOf)
      const found = pointDaysAgo(readings, head.timestamp, averageDays)
      return found ? [[market, found] as const] : []
    }),
  )
}
