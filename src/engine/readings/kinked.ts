/** Rates and utilization of Compound v3 count from here (source: CometCore, FACTOR_SCALE). */
const factorScale = 10n ** 18n

/** A rate a second, scaled by 1e18, on a curve that is steeper past its kink (source: Comet.getSupplyRate, Comet.getBorrowRate). */
export function kinkedRate(curve: {
  used: bigint
  kink: bigint
  base: bigint
  low: bigint
  high: bigint
}): bigint {
  const { used, kink, base, low, high } = curve
  if (used <= kink) return base + (low * used) / factorScale
  return base + (low * kink) / factorScale + (high * (used - kink)) / factorScale
}
