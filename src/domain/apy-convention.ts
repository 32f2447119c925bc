import type { ApyBasis } from './apy-basis.ts'
import type { MarketConstants } from './market-constants.ts'

const everySecond = 'the rate a second, compounded every second over 365 days'

/** How the rate that a protocol states becomes a yearly one, by its family; a family that is not here states none. */
const stated: Readonly<Partial<Record<MarketConstants['family'], string>>> = {
  'aave-v3': 'the linear rate of the pool, compounded every second over 365 days',
  across: 'the fees of a second, not compounded, over 365.25 days',
  'compound-v2': everySecond,
  'compound-v3': everySecond,
  morpho: 'the rate a second of its markets, compounded continuously over 365 days',
  'pendle-pt': 'the implied rate until maturity, compounded once a year',
  'spark-psm3': everySecond,
  'yearn-v3': 'the profit that is paid out a second, compounded every second over 365 days',
}

/** How a market's APY is counted, in words: what it is made of, how often it compounds, and how long its year is. */
export function conventionOf(constants: MarketConstants, basis: ApyBasis, simpleYear?: number): string {
  if (basis === 'trailing-7d')
    return simpleYear === undefined
      ? 'growth of the last 7 days, compounded over 365 days'
      : `growth of the last 7 days, not compounded, over ${simpleYear / 86_400} days`
  if (constants.family === 'compound-v2' && constants.compounds === 'daily')
    return 'the rate a second, compounded daily over 365 days'
  if (constants.family === 'compound-v2' && constants.rate === 'block')
    return 'the rate a block, compounded every block over 365 days, at the distance of the newest blocks'
  if ('lends' in constants && constants.lends === 'euler')
    return 'what borrowers pay a second, compounded every second over 365.2425 days, for the part that is borrowed, less the fee'
  if ('backing' in constants && constants.backing) return stated['aave-v3']!
  return stated[constants.family] ?? everySecond
}
