/** The years in the order in which they run; with daily touches, all of them run. */
export const yearNames = [
  'aave-v3 at constant utilization',
  'compound-v2 at constant utilization',
  'morpho at nine tenths utilization',
  'erc4626 by the growth of the previous week',
  'pendle-pt until maturity',
  'across with relay fees, not compounded',
  'lido (sandbox contract) by the growth of the previous week',
  'compound-v2 of the native coin',
  'across of the native coin',
] as const
