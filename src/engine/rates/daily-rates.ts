import type { Rates } from '../../api/strategy.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import { keptBlockBefore } from '../history/kept-block-search.ts'
import { hashesOf } from '../history/logs/ranged-log-reader.ts'
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
import {
  lacksOldStates,
  pastBlocks,
  readSnapshots,
  replacedBlocks,
  storeLackOfOldStates,
} from './historical-snapshots.ts'
import { knownInceptions } from './inception.ts'

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
  const { rows: stored, readUntil } = await storedDays(store, chain, market, head)
  const lacking = { market, since, known: completeDays(stored), readUntil }
  const read = await readMissingDays(store, chain, [lacking], head)
  if (readUntil !== dayOf(head.timestamp)) await storeReadUntil(store, chain, market, head)
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

/** How long a list waits for past days to be read, in ms. Later results are for the next list. */
const fillWaitMs = 3_000

/** Fills the missing days of the markets of one chain, as far as that is quick. A chain that does not answer fails nothing. */
export async function fillDaysBriefly(
  store: EngineStore,
  chain: Chain,
  rated: readonly RatedMarket[],
  head: BlockRef,
): Promise<void> {
  const markets = rated.flatMap(({ market, state }) => (state ? [market] : []))
  const inceptions = await knownInceptions(store, chain.network.chainId, markets)
  const ages = markets.map((market) => ({ market, since: inceptions.get(market)?.at ?? 0 }))
  await writeInBackground(undefinedIfUnanswered(fillMissingDays(store, chain, ages, head)), fillWaitMs)
}

/**
 * Reads the last 30 days of the markets of one chain that are not stored yet, so that a list has recent
 * rates: once a day, all markets in one call a block. Readings of blocks that are no longer canonical, as
 * after a chain was reset, are deleted. A node without old states adds no readings.
 */
async function fillMissingDays(
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
    readUntil: 0,
  }))
  await readMissingDays(store, chain, lacking, head)
  await rest((today + 1) * daySeconds)
}

/** The fact that stores up to which day, without it, the days of a market were read, and the newest block at that time. */
const readUntilFact = (market: Market) => `days-of-market ${snapshotKey(market)}`

const storeReadUntil = async (store: EngineStore, chain: Chain, market: Market, head: BlockRef) => {
  // A node without old states may have them later.
  if (await lacksOldStates(store, chain, head.timestamp)) return
  const value = `${dayOf(head.timestamp)} ${head.number} ${head.hash}`
  await writeInBackground(store.storeFact(chain.network.chainId, readUntilFact(market), value))
}

/** Whether all days of a market up to today were read, so that reading them again takes one exchange. */
export async function areDaysRead(
  store: EngineStore,
  { network }: Chain,
  market: Market,
  at: number,
): Promise<boolean> {
  const fact = await store.fact(network.chainId, readUntilFact(market))
  return fact?.split(' ')[0] === String(dayOf(at))
}

/** The stored days of a market, and up to which day none is missing that has a block: both only as far as their blocks are canonical. */
async function storedDays(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: BlockRef,
): Promise<{ rows: Snapshot[]; readUntil: number }> {
  const { chainId } = chain.network
  const today = dayOf(head.timestamp)
  const range = { from: today - averageDays - 2, to: today - 1, market: snapshotKey(market) }
  const rows = await store.snapshots(chainId, range)
  const [day, number, hash] = (await store.fact(chainId, readUntilFact(market)))?.split(' ') ?? []
  const blocks = [...rows.map(({ block }) => BigInt(block)), ...(number ? [BigInt(number)] : [])]
  const now = blocks.length > 0 ? await hashesOf(chain, blocks) : new Map<bigint, string>()
  return {
    rows: rows.filter((row) => now.get(BigInt(row.block)) === row.hash),
    readUntil: number && now.get(BigInt(number)) === hash ? Number(day) : 0,
  }
}

/**
 * A market, when it began in Unix seconds, the days whose end is stored, and the day from which on others are missing: a chain
 * without blocks on a day has no end of it.
 */
type IncompleteMarket = { market: Market; since: number; known: ReadonlySet<number>; readUntil: number }

/** Reads the days that are not stored, at blocks about a day apart. */
async function readMissingDays(
  store: EngineStore,
  chain: Chain,
  all: readonly IncompleteMarket[],
  head: BlockRef,
): Promise<Snapshot[]> {
  const isLacking = ({ since, known, readUntil }: IncompleteMarket) => {
    const first = Math.max(readUntil, dayOf(Math.max(since, head.timestamp - averageDays * daySeconds)))
    return [...known].filter((on) => on >= first).length < dayOf(head.timestamp) - first
  }
  const lacking = all.filter(isLacking)
  if (lacking.length === 0) return []
  if (await lacksOldStates(store, chain, head.timestamp)) return []
  const first = await keptBlockBefore(
    store,
    chain,
    { purpose: 'days', time: firstDay(head) * daySeconds },
    head,
  )
  const from = first?.number ?? 0n
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
