import type { Fees } from '../../src/api/customer-and-fees.ts'

/** The fees of a deployment without settings. */
export const usualFees: Fees = {
  swapFeeBps: 25,
  performanceFeeBps: 500,
  operatorCollector: null,
  markupBps: 0,
  maxMarkupBps: 75,
  collector: null,
}
