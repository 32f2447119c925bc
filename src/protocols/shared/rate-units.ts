/** 1e27: the unit of Aave's indices and rates. */
export const ray = 10n ** 27n

const secondsAYear = 31_536_000

/** A rate per second, scaled by 1e18, as a linear yearly rate and compounded every second. */
export const perSecond = (rate: bigint): { apr: number; apy: number } => perTick(rate, secondsAYear)

/** A rate per second, scaled by 1e18, compounded daily over 365 days (source: calculateApy, @moonwell-fi/moonwell-sdk 1.0.0). */
export const perDay = (rate: bigint): { apr: number; apy: number } => perTick(rate * 86_400n, 365)

/** A rate per tick (a second, a block) as a yearly one, compounded every tick. */
export function perTick(rate: bigint, ticksAYear: number, scale = 10n ** 18n): { apr: number; apy: number } {
  const each = Number(rate) / Number(scale)
  return { apr: each * ticksAYear, apy: Math.expm1(ticksAYear * Math.log1p(each)) }
}

/** Aave's display convention: the linear rate, compounded every second. */
export const compounded = (apr: number): number => Math.expm1(secondsAYear * Math.log1p(apr / secondsAYear))
