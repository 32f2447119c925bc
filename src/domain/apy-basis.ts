/**
 * The basis of an APY: the current rate by the protocol's formula, or, if no contract gives it, the growth over the
 * last week.
 */
export const apyBases = ['current', 'trailing-7d'] as const
export type ApyBasis = (typeof apyBases)[number]
