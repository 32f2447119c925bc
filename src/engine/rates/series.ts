import type { Rates } from '../../api/rates.ts'
import type { EngineStore } from '../../store/engine.ts'
import type { Snapshot } from '../../store/engine-snapshots.ts'
import { blockBefore } from '../block-before.ts'
import type { BlockRef, Chain } from '../chain.ts'
import type { Market } from '../markets/market.ts'
import { hasNone, readingsAt, rememberNone, stillThere } from './old-states.ts'
import { pastBlocks } from './past-blocks.ts'
import { day, dayOf, daysAgo, keyOf, type Point, pointOf, rateBetween } from './point.ts'
import { averageDays } from './realised.ts'

/** So many blocks are looked at, in one exchange: blocks do not come as regularly as days. */
const probes = 3 * averageDays

/** What a market was on each of the last 30 days, oldest first. Days that nobody knows are left out, and those before it began. */
export async function pastDays(
  store: EngineStore,
  chain: Chain,
  { market, since }: { market: Market; since: number },
  head: BlockRef,
): Promise<Point[]> {
  const kept = await keptDays(store, chain, market, head)
  const all = [...kept, ...(await missingDays(store, chain, market, { head, kept, since }))]
  return all.map(pointOf).sort((one, other) => one.at - other.at)
}

async function keptDays(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: BlockRef,
): Promise<Snapshot[]> {
  const today = dayOf(head.timestamp)
  const range = { from: today - averageDays - 2, to: today, market: keyOf(market) }
  return stillThere(chain, await store.snapshots(chain.network.chainId, range))
}

/** The days of which nothing is kept, at blocks that stand about a day apart. */
async function missingDays(
  store: EngineStore,
  chain: Chain,
  market: Market,
  { head, kept, since }: { head: BlockRef; kept: readonly Snapshot[]; since: number },
): Promise<Snapshot[]> {
  const known = new Set(kept.map((row) => row.day))
  const first = Math.max(since, head.timestamp - averageDays * day)
  if (known.size >= dayOf(head.timestamp) - dayOf(first)) return []
  if (await hasNone(store, chain, head.timestamp)) return []
  const from = (await blockBefore(chain, head.timestamp - averageDays * day, head))?.number ?? 0n
  const span = head.number - from
  const numbers = Array.from({ length: probes }, (_, at) => from + (span * BigInt(at)) / BigInt(probes))
  const blocks = (await pastBlocks(chain, [...new Set(numbers)])).filter(
    ({ timestamp, number }) => number < head.number && !known.has(dayOf(timestamp)),
  )
  // Of several blocks of a day the last one is read: after a chain stood still it is what held all along.
  const wanted = [...new Map(blocks.map((block) => [dayOf(block.timestamp), block])).values()]
  const found = await Promise.all(wanted.map((block) => readingsAt(store, chain, [market], block)))
  if (wanted.length > 0 && found.every((rows) => rows === undefined))
    await rememberNone(store, chain, head.timestamp)
  return found.flatMap((rows) => rows ?? [])
}

/** What a series shows: the rate over the last day, week and month, and from each of its points to the next. */
export function ratesOf(
  market: Market,
  series: readonly Point[],
  { apy, reward }: { apy: number | null; reward: number | null },
): Rates {
  const now = series.at(-1)
  const over = (days: number) => {
    const then = now && daysAgo(series, now.at, days)
    // What is much older says nothing of so few days; of a month, what is known is told.
    const isOf = then && (days === averageDays || now.at - then.at <= (2 * days + 0.5) * day)
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
