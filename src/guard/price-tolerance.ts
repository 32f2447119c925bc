import type { Amounts } from '../domain/accepted-amounts.ts'
/** A price that somebody else names, and by how much worse than it is still accepted, as a fraction: `null` where the person said what is enough. */
export type Price = Amounts & { most: number | null }

/** How much worse than the price of another engine a swap may be where nobody says anything. */
export const maxPriceShortfall = 0.03

/**
 * The price of a bridge that burns and mints: what it brings is what it takes, less its fee, which is 0.14 % at most
 * (Circle), and less the half percent that may slip where nobody names a bound.
 */
export const burnBridgePrice = { amountIn: 1n, amountOut: 1n, most: 0.0075 } as const

/** By how much amounts are worse than a price, as a fraction, to a unit of rounding; nothing where they are better. */
export function shortfallShare(given: Amounts, { amountIn, amountOut }: Amounts): number {
  const fair = given.amountIn * amountOut
  const short = fair - (given.amountOut + 1n) * amountIn
  // Rounded up: what is a little more than may be is more.
  return short <= 0n ? 0 : Number((short * 1_000_000_000n + fair - 1n) / fair) / 1e9
}

/** Whether amounts are hardly worse than a price. */
export const isWithinTolerance = (given: Amounts, price: Price): boolean =>
  price.most === null || shortfallShare(given, price) <= price.most
