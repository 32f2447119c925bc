import { blockBefore } from '../../chain/block-by-timestamp.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { BlockRef } from '../../chain/run-readings.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import type { RatedMarket, RateReader } from '../market-types.ts'
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
import { fillMissingDays } from './daily-rates.ts'
import {
  canonicalSnapshots,
  lacksOldStates,
  pastBlocks,
  readSnapshots,
  snapshotsOf,
  storeLackOfOldStates,
} from './historical-snapshots.ts'
import { type Inception, inceptionPoint, knownInceptions } from './inception.ts'

/** How long a list waits for past days to be read, in ms. Later results are for the next list. */
const fillWaitMs = 3_000

/** How long past points are used, in seconds of the chain. */
const maxAgeSeconds = 3_600

type PastPoints = {
  readAt: number
  markets: ReadonlySet<Market>
  points: ReadonlyMap<Market, IndexPoint>
}

/**
 * Adds the realised rates of the markets of one chain: over the last 30 days (or since inception if that is
 * less), and since inception. Past indexes are read once a day at an old block, all in one call, and stored.
 * For a node without old states, one reading a day is stored as time passes. Unknown rates are left out and
 * do not fail the list.
 */
export function realisedRateReader(store: EngineStore, chain: () => Chain): RateReader {
  let past: PastPoints | undefined
  const pastOf = async (rated: readonly RatedMarket[], head: BlockRef): Promise<PastPoints> => {
    const isFresh = past && head.timestamp >= past.readAt && head.timestamp - past.readAt < maxAgeSeconds
    if (past && isFresh && rated.every(({ market }) => past?.markets.has(market))) return past
    past = await readPastPoints(store, chain(), rated, head)
    return past
  }
  return async (rated, head) => {
    const { points } = await pastOf(rated, head)
    const markets = rated.map(({ market }) => market)
    // A detail request may have found an inception since.
    const inceptions = await knownInceptions(store, chain().network.chainId, markets)
    return rated.map((one) => {
      const { market } = one
      return withRealisedRates(one, inceptions.get(market), points.get(market))
    })
  }
}

/** Adds realised rates to a market. */
export function withRealisedRates(
  one: RatedMarket,
  inception: Inception | undefined,
  then: IndexPoint | undefined,
): RatedMarket {
  const { market, state, at } = one
  const start = inceptionPoint(inception)
  const now = state && { at, index: state.index }
  const isYoung = inception !== undefined && inception.at > at - averageDays * daySeconds
  const from = isYoung ? start : then
  return {
    ...one,
    startedAt: inception?.at ?? null,
    averageApy: now && from && at - from.at >= daySeconds ? rateBetween(market, from, now) : null,
    inceptionApy: now && start && at - start.at >= daySeconds ? rateBetween(market, start, now) : null,
  }
}

async function readPastPoints(
  store: EngineStore,
  chain: Chain,
  rated: readonly RatedMarket[],
  head: BlockRef,
): Promise<PastPoints> {
  const { chainId } = chain.network
  const readable = rated.flatMap(({ market, state }) => (state ? [{ market, index: state.index }] : []))
  await storeToday(store, chainId, snapshotsOf(readable, head, 0))
  const inceptions = await knownInceptions(
    store,
    chainId,
    rated.map(({ market }) => market),
  )
  const isOld = ({ market }: { market: Market }) =>
    !((inceptions.get(market)?.at ?? 0) > head.timestamp - averageDays * daySeconds)
  const old = readable.filter(isOld).map(({ market }) => market)
  const points =
    (await undefinedIfUnanswered(readMonthAgo(store, chain, old, head))) ?? new Map<Market, IndexPoint>()
  const ages = readable.map(({ market }) => ({ market, since: inceptions.get(market)?.at ?? 0 }))
  await writeInBackground(undefinedIfUnanswered(fillMissingDays(store, chain, ages, head)), fillWaitMs)
  const markets = new Set(rated.map(({ market }) => market))
  return { readAt: head.timestamp, markets, points }
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

/** The index of markets 30 days ago: from the store, and from the chain for the rest. */
async function readMonthAgo(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  head: BlockRef,
): Promise<Map<Market, IndexPoint>> {
  const then = head.timestamp - averageDays * daySeconds
  if (markets.length === 0) return new Map()
  const stored = await store.snapshots(chain.network.chainId, {
    from: dayOf(then) - 2,
    to: dayOf(then) + 1,
  })
  const canonical = await canonicalSnapshots(chain, stored)
  const points = new Map<Market, IndexPoint>()
  const by = Map.groupBy(canonical, ({ market }) => market)
  for (const market of markets) {
    const found = pointDaysAgo((by.get(snapshotKey(market)) ?? []).map(pointOf), head.timestamp, averageDays)
    if (found) points.set(market, found)
  }
  const missing = markets.filter((market) => !points.has(market))
  if (missing.length === 0 || (await lacksOldStates(store, chain, head.timestamp))) return points
  const before = await blockBefore(chain, then, head)
  const [block] = before ? await pastBlocks(chain, [before.number], head.timestamp) : []
  if (!block) return points
  const read = await readSnapshots(store, chain, missing, block, 0)
  if (read === undefined) await storeLackOfOldStates(store, chain, head.timestamp)
  const rows = new Map(read?.map((row) => [row.market, pointOf(row)]))
  for (const market of missing) {
    const found = rows.get(snapshotKey(market))
    if (found) points.set(market, found)
  }
  return points
}
