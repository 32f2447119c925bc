import type { Protocol } from '../protocol.ts'
import { leastUnitsFor } from '../withdrawal-units.ts'
import { checkPendlePtCalldata } from './calldata-check.ts'
import type { PendlePtConstants } from './constants-schema.ts'
import { pendlePt as market } from './market-adapter.ts'
import { pendleExchange, ptPrice } from './quotes.ts'

/** The principal tokens of Pendle. */
export const pendlePt: Protocol<PendlePtConstants> = {
  grade: { grade: 'A', by: '@pendle/core-v2 6.11.0' },
  description: (symbol) =>
    `Buys a principal token with ${symbol} below what it pays at maturity. The difference is the yield.`,
  rateConvention: () => 'the implied rate until maturity, compounded once a year',
  calldata: ({ asset, receipt }, constants) => {
    const read = ptPrice(constants)
    return {
      targets: [constants.router],
      check: (transaction, intent) =>
        checkPendlePtCalldata(transaction, intent, { asset, receipt }, constants),
      cost: (amount) => ({ read, unitsOf: (price) => leastUnitsFor(price, amount) }),
      byUnits: true,
      takesReceipt: true,
    }
  },
  exchange: ({ asset }, constants) => pendleExchange(constants, asset.address),
  market,
}
