import { type Protocol, paysBy, readOf, sdkEqualityNote } from '../protocol.ts'
import { bindAcross } from './binding.ts'
import type { AcrossConstants } from './constants.ts'
import { lpRate, lpUnits, lpWorth } from './lp-token.ts'
import { across as market } from './market.ts'

/** The liquidity pools of the Across bridge. */
export const across: Protocol<AcrossConstants> = {
  grade: {
    grade: 'A',
    by: `@across-protocol/contracts 5.0.27${sdkEqualityNote('@across-protocol/sdk 4.3.88')}`,
  },
  description: (symbol) =>
    `Lends ${symbol} to the relayers of the Across bridge, who pay for it by the transfer.`,
  rateConvention: () => 'the fees of a second, not compounded, over 365.25 days',
  binding: ({ asset }, constants) => {
    const pool = { constants, asset }
    const read = readOf(lpRate(pool))
    return {
      targets: [constants.hubPool],
      bind: (transaction, intent) => bindAcross(transaction, intent, pool),
      cost: (amount) => ({ read, unitsOf: (rate) => lpUnits(rate, amount) }),
      byUnits: true,
    }
  },
  pays: ({ asset }, constants, units) =>
    paysBy([lpRate({ constants, asset })], ([rate]) =>
      rate === undefined ? undefined : lpWorth(rate, units),
    ),
  market,
}
