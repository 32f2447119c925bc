const secondsAYear = 31_536_000

/** A rate a second, scaled by 1e18, as the linear rate of a year and as it is when it compounds every second. */
export const perSecond = (rate: bigint): { apr: number; apy: number } => perTick(rate, secondsAYear)

/** A rate a tick (a second, a block), with so many ticks a year; scaled by 1e18, or as it says. */
export function perTick(rate: bigint, ticksAYear: number, scale = 10n ** 18n): { apr: number; apy: number } {
  const each = Number(rate) / Number(scale)
  return { apr: each * ticksAYear, apy: Math.expm1(ticksAYear * Math.log1p(each)) }
}
