const secondsAYear = 31_536_000

/** A rate a second, scaled by 1e18, as the linear rate of a year and as it is when it compounds every second. */
export const perSecond = (rate: bigint): { apr: number; apy: number } => perTick(rate, secondsAYear)

/** A rate a tick (a second, a block), scaled by 1e18, with so many ticks a year. */
export function perTick(rate: bigint, ticksAYear: number): { apr: number; apy: number } {
  const each = Number(rate) / 1e18
  return { apr: each * ticksAYear, apy: Math.expm1(ticksAYear * Math.log1p(each)) }
}
