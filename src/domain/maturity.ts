import type { StrategyEntry } from './catalog.ts'

/** The day on which a strategy of fixed yield pays what it promised, such as `2027-12-30`; others have none. */
export const maturityOf = ({ constants }: Pick<StrategyEntry, 'constants'>): string | undefined =>
  constants.family === 'pendle-pt' ? new Date(constants.expiry * 1000).toISOString().slice(0, 10) : undefined
