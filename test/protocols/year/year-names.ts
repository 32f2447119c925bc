/** The years that are run, in order: with daily touches all of them. */
export const yearNames = [
  'aave-v3, of which as much is lent out all year',
  'compound-v2, of which as much is lent out all year',
  'morpho, nine tenths lent out all year',
  'erc4626, by the growth of the week before',
  'pendle-pt, until it matures',
  'across, whose relays pay each time what was given out since, not compounded',
  'lido-like, by a contract of our own, by the growth of the week before',
  'compound-v2 of the native coin',
  'across of the native coin',
] as const
