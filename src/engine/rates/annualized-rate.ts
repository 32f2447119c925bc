import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'

/** The index of one unit of a market at a time, in Unix seconds. */
export type IndexPoint = { at: number; index: bigint }

/** The number of days of an average. */
export const averageDays = 30

export const daySeconds = 86_400
export const yearSeconds = 365 * daySeconds

/** The day of a time, counted from 1970. */
export const dayOf = (at: number): number => Math.floor(at / daySeconds)

/**
 * Converts growth over some seconds to the yearly rate that the market states: compounded over 365 days, or
 * simple over the market's own year.
 */
export const yearlyRate = (
  { simpleYear }: Pick<Market, 'simpleYear'>,
  ratio: number,
  seconds: number,
): number =>
  simpleYear === undefined ? ratio ** (yearSeconds / seconds) - 1 : ((ratio - 1) * simpleYear) / seconds

/** The yearly rate between two points of a market; `null` for less than half a day, which is too short. */
export function rateBetween(
  market: Pick<Market, 'simpleYear'>,
  from: IndexPoint,
  to: IndexPoint,
): number | null {
  const seconds = to.at - from.at
  if (seconds < daySeconds / 2 || from.index <= 0n) return null
  // The quotient is computed as an integer first, because a number has too few digits.
  const ratio = Number((to.index * precision) / from.index) / Number(precision)
  const rate = yearlyRate(market, ratio, seconds)
  return Number.isFinite(rate) ? rate : null
}

const precision = 10n ** 18n

/** The newest of some points, oldest first, that is about this many days old. */
export const pointDaysAgo = (
  points: readonly IndexPoint[],
  now: number,
  days: number,
): IndexPoint | undefined => points.findLast(({ at }) => at <= now - (days - 0.5) * daySeconds)

/** The key of a market's readings: its slug and contract. */
export const snapshotKey = ({ entry }: Market): string =>
  `${entry.slug}@${entry.receipt.address.slice(2, 10).toLowerCase()}`

/** A stored reading as a point. */
export const pointOf = ({ at, idx }: Snapshot): IndexPoint => ({ at, index: BigInt(idx) })
