import { type Protocol, readOf } from '../protocol.ts'
import { bindSparkPsm3 } from './binding.ts'
import type { SparkPsm3Constants } from './constants.ts'
import { sparkPsm3 as market } from './market.ts'
import { psm3Exchange, psm3Rate, psm3Units } from './price.ts'

/** The savings token of Sky, bought from the PSM of Spark. */
export const sparkPsm3: Protocol<SparkPsm3Constants> = {
  grade: { grade: 'C', by: 'sparkdotfi/spark-psm, IPSM3.sol' },
  description: (symbol) =>
    `Changes ${symbol} into a savings token at the rate of the savings, and back into ${symbol}.`,
  binding: ({ asset, receipt }, constants) => {
    const read = readOf(psm3Rate(constants))
    return {
      targets: [constants.psm],
      bind: (transaction, intent) => bindSparkPsm3(transaction, intent, { asset, receipt }),
      cost: (amount) => ({ read, unitsOf: (rate) => psm3Units(rate, amount, asset) }),
      byUnits: true,
      takesReceipt: true,
    }
  },
  exchange: (entry, constants) => psm3Exchange(constants, entry),
  market,
}
