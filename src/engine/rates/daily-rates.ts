import type { Rates } from '../../api/strategy.ts'
import { blockBefore } from '../../chain/block-by-timestamp.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { BlockRef } from '../../chain/run-readings.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
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
import {
  canonicalSnapshots,
  lacksOldStates,
  pastBlocks,
  readSnapshots,
  replacedBlocks,
  storeLackOfOldStates,
} from './historical-snapshots.ts'

/**
 * The minimum number of blocks probed in one exchange; at most twice as many. Blocks are not spaced as
 * regularly as days.
 */
const probeCount = 3 * averageDays

/**
 * The numbers of the probed blocks: multiples of a power of two, so that every reading finds the same blocks.
 */
function probeBlocks(from: bigint, head: bigint): bigint[] {
  let step = 1n
  while (step * 2n * BigInt(probeCount) <= head - from) step *= 2n
  const first = ((from + step - 1n) / step) * step
  return Array.from({ length: Number((head - first) / step) + 1 }, (_, at) => first + step * BigInt(at))
}

/**
 * Reads the index of a market on each of the last 30 days, oldest first. Unknown days, and days before the
 * market began, are left out.
 */
export async function readPastDays(
  store: EngineStore,
  chain: Chain,
  { market, since }: { market: Market; since: number },
  head: BlockRef,
): Promise<IndexPoint[]> {
  const stored = await storedDays(store, chain, market, head)
  const lacking = { market, since, known: completeDays(stored) }
  const read = await readMissingDays(store, chain, [lacking], head)
  // A reading at the end of a day replaces another reading of that day.
  const all = [...new Map([...stored, ...read].map((row) => [row.day, row])).values()]
  const points = all.toSorted((one, other) => one.at - other.at)
  const first = points.findLastIndex((row) => row.day <= firstDay(head))
  return points.slice(Math.max(first, 0)).map(pointOf)
}

/** The first of the last 30 days. */
const firstDay = ({ timestamp }: BlockRef): number => dayOf(timestamp - averageDays * daySeconds)

/** The days whose end has a reading. */
const completeDays = (rows: readonly Snapshot[]): Set<number> =>
  new Set(rows.flatMap((row) => (row.last === 1 ? [row.day] : [])))

/**
 * The fact that stores when the past of all markets of a chain is read next, in Unix seconds of the chain.
 */
const nextFillFact = 'days-read-until'

/** The pause after an incomplete reading, in seconds. A slow node would delay each list until its timeout. */
const retryAfterSeconds = 3_600

/**
 * Reads the last 30 days of the markets of one chain that are not stored yet, so that a list has recent
 * rates: once a day, all markets in one call a block. Readings of blocks that are no longer canonical, as
 * after a chain was reset, are deleted. A node without old states adds no readings.
 */
export async function fillMissingDays(
  store: EngineStore,
  chain: Chain,
  markets: readonly { market: Market; since: number }[],
  head: BlockRef,
): Promise<void> {
  const { chainId } = chain.network
  const today = dayOf(head.timestamp)
  const left = Number((await store.fact(chainId, nextFillFact)) ?? 0) - head.timestamp
  if (left > 0 && left <= daySeconds) return
  const rest = (until: number) => writeInBackground(store.storeFact(chainId, nextFillFact, String(until)))
  await rest(head.timestamp + retryAfterSeconds)
  const stored = await store.snapshots(chainId, { from: today - averageDays - 2, to: today })
  const replacedHashes = await replacedBlocks(chain, stored, head)
  if (replacedHashes.size > 0) await writeInBackground(store.deleteSnapshots(chainId, [...replacedHashes]))
  const rows = stored.filter(({ hash }) => !replacedHashes.has(hash))
  const by = Map.groupBy(rows, ({ market }) => market)
  const lacking = markets.map(({ market, since }) => ({
    market,
    since,
    known: completeDays(by.get(snapshotKey(market)) ?? []),
  }))
  await readMissingDays(store, chain, lacking, head)
  await rest((today + 1) * daySeconds)
}

async function storedDays(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: BlockRef,
): Promise<Snapshot[]> {
  const today = dayOf(head.timestamp)
  const range = { from: today - averageDays - 2, to: today - 1, market: snapshotKey(market) }
  return canonicalSnapshots(chain, await store.snapshots(chain.network.chainId, range))
}

/** A market, when it began in Unix seconds, and the days whose end is stored. */
type IncompleteMarket = { market: Market; since: number; known: ReadonlySet<number> }

/** Reads the days that are not stored, at blocks about a day apart. */
async function readMissingDays(
  store: EngineStore,
  chain: Chain,
  all: readonly IncompleteMarket[],
  head: BlockRef,
): Promise<Snapshot[]> {
  const isLacking = ({ since, known }: IncompleteMarket) => {
    const first = dayOf(Math.max(since, head.timestamp - averageDays * daySeconds))
    return [...known].filter((on) => on >= first).length < dayOf(head.timestamp) - first
  }
  const lacking = all.filter(isLacking)
  if (lacking.length === 0) return []
  if (await lacksOldStates(store, chain, head.timestamp)) return []
  const from = (await blockBefore(chain, firstDay(head) * daySeconds, head))?.number ?? 0n
  const today = dayOf(head.timestamp)
  const blocks = (await pastBlocks(chain, probeBlocks(from, head.number), head.timestamp)).filter(
    ({ timestamp }) => dayOf(timestamp) < today,
  )
  // Of several blocks of a day the last is read: if the chain halted afterwards, its state lasted for the
  // pause. A day that is not over has no last block.
  const wanted = [...new Map(blocks.map((block) => [dayOf(block.timestamp), block]))].flatMap(
    ([on, block]) => {
      const markets = lacking.filter(({ known }) => !known.has(on)).map(({ market }) => market)
      return markets.length === 0 ? [] : [{ markets, block }]
    },
  )
  const found = await Promise.all(
    wanted.map(({ markets, block }) => readSnapshots(store, chain, markets, block, 1)),
  )
  if (wanted.length > 0 && found.every((rows) => rows === undefined))
    await storeLackOfOldStates(store, chain, head.timestamp)
  return found.flatMap((rows) => rows ?? [])
}

/** The rates of a series: over the last day, week and month, and between consecutive points. */
export function seriesRates(
  market: Market,
  series: readonly IndexPoint[],
  { apy, reward }: { apy: number | null; reward: number | null },
): Rates {
  const now = series.at(-1)
  const over = (days: number) => {
    const then = now && pointDaysAgo(series, now.at, days)
    // A point much older than the period is not used; for the month, the oldest known point is.
    const isOf = then && (days === averageDays || now.at - then.at <= (2 * days + 0.5) * daySeconds)
    return isOf ? rateBetween(market, then, now) : null
  }
  return {
    base: apy,
    reward,
    days1: over(1),
    days7: over(7),
    days30: over(averageDays),
    points: series.slice(1).flatMap((point, at) => {
      const rate = rateBetween(market, series[at]!, point)
      return rate === null ? [] : [{ at: new Date(point.at * 1000).toISOString(), apy: rate }]
    }),
  }
}
