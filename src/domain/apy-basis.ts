/** What an APY is: what is paid now, by the formula of the protocol, or, where no contract says that, how much a unit grew in the last week. */
export const apyBases = ['current', 'trailing-7d'] as const
export type ApyBasis = (typeof apyBases)[number]
