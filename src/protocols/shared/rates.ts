/** 1e27: the unit of Aave's indices and rates. */
export const ray = 10n ** 27n

const secondsAYear = 31_536_000

/** A rate a second, scaled by 1e18, as the linear rate of a year and as it is when it compounds every second. */
export const perSecond = (rate: bigint): { apr: number; apy: number } => perTick(rate, secondsAYear)

/** A rate a second, scaled by 1e18, as it is when it compounds once a day over 365 days (source: calculateApy, @moonwell-fi/moonwell-sdk 1.0.0). */
export const perDay = (rate: bigint): { apr: number; apy: number } => perTick(rate * 86_400n, 365)

/** A rate a tick (a second, a block), with so many ticks a year; scaled by 1e18, or as it says. */
export function perTick(rate: bigint, ticksAYear: number, scale = 10n ** 18n): { apr: number; apy: number } {
  const each = Number(rate) / Number(scale)
  return { apr: each * ticksAYear, apy: Math.expm1(ticksAYear * Math.log1p(each)) }
}

/** Aave's display convention: the linear rate, compounded every second. */
export const compounded = (apr: number): number => Math.expm1(secondsAYear * Math.log1p(apr / secondsAYear))
