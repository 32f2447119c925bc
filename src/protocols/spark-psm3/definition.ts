import type { Protocol } from '../protocol.ts'
import { checkSparkPsm3Calldata } from './calldata-check.ts'
import type { SparkPsm3Constants } from './constants-schema.ts'
import { sparkPsm3 as market } from './market-adapter.ts'
import { psm3Exchange, psm3Rate, psm3Units } from './price.ts'

/** The savings token of Sky, bought from the PSM of Spark. */
export const sparkPsm3: Protocol<SparkPsm3Constants> = {
  grade: { grade: 'C', by: 'sparkdotfi/spark-psm, IPSM3.sol' },
  description: (symbol) => `Swaps ${symbol} for a savings token at the savings rate, and back.`,
  calldata: ({ asset, receipt }, constants) => {
    const read = psm3Rate(constants)
    return {
      targets: [constants.psm],
      check: (transaction, intent) => checkSparkPsm3Calldata(transaction, intent, { asset, receipt }),
      cost: (amount) => ({ read, unitsOf: (rate) => psm3Units(rate, amount, asset) }),
      byUnits: true,
      takesReceipt: true,
    }
  },
  exchange: (entry, constants) => psm3Exchange(constants, entry),
  market,
}
