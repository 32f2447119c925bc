import type { Market } from '../../protocols/market.ts'
import type { Snapshot } from '../../store/engine/snapshots.ts'

/** What one unit of a market was at a time, in Unix seconds. */
export type IndexPoint = { at: number; index: bigint }

/** An average is over so many days. */
export const averageDays = 30

/** A day in seconds. */
export const daySeconds = 86_400
/** A year of 365 days in seconds. */
export const yearSeconds = 365 * daySeconds

/** The day of a time, counted from 1970. */
export const dayOf = (at: number): number => Math.floor(at / daySeconds)

/** By how much a unit grew over some seconds as the rate a year that its market states: compounded over 365 days, or as it is over the market's own year. */
export const yearlyRate = (
  { simpleYear }: Pick<Market, 'simpleYear'>,
  ratio: number,
  seconds: number,
): number =>
  simpleYear === undefined ? ratio ** (yearSeconds / seconds) - 1 : ((ratio - 1) * simpleYear) / seconds

/** The yearly rate at which a unit of a market grew from one time to another; `null` for less than half a day, which says too little. */
export function rateBetween(
  market: Pick<Market, 'simpleYear'>,
  from: IndexPoint,
  to: IndexPoint,
): number | null {
  const seconds = to.at - from.at
  if (seconds < daySeconds / 2 || from.index <= 0n) return null
  // More digits than a number has: the quotient is taken before it becomes one.
  const ratio = Number((to.index * precision) / from.index) / Number(precision)
  const rate = yearlyRate(market, ratio, seconds)
  return Number.isFinite(rate) ? rate : null
}

const precision = 10n ** 18n

/** The newest of some points, oldest first, that is so many days old, or nearly. */
export const pointDaysAgo = (
  points: readonly IndexPoint[],
  now: number,
  days: number,
): IndexPoint | undefined => points.findLast(({ at }) => at <= now - (days - 0.5) * daySeconds)

/** What readings of a market are kept under: its slug, as long as it is the same contract. */
export const snapshotKey = ({ entry }: Market): string =>
  `${entry.slug}@${entry.receipt.address.slice(2, 10).toLowerCase()}`

/** A kept reading as a point. */
export const pointOf = ({ at, idx }: Snapshot): IndexPoint => ({ at, index: BigInt(idx) })
