import { lendingDescription, oneForOne, type Protocol, sdkEqualityNote } from '../protocol.ts'
import { bindAaveV3 } from './binding.ts'
import type { AaveV3Constants } from './constants.ts'
import { aaveV3 as market } from './market.ts'

/** Aave v3 and its forks. */
export const aaveV3: Protocol<AaveV3Constants> = {
  grade: { grade: 'A', by: `@aave/core-v3 1.19.3${sdkEqualityNote('@aave/contract-helpers 1.38.0')}` },
  forks: {
    isOwn: (protocol) => protocol === 'aave-v3' || protocol.startsWith('aave-v3-'),
    whose: 'Aave v3, of which this is a fork',
  },
  description: lendingDescription,
  rateConvention: () => 'the linear rate of the pool, compounded every second over 365 days',
  binding: ({ asset }, { pool }) => ({
    targets: [pool],
    bind: (transaction, intent) => bindAaveV3(transaction, intent, asset),
    cost: oneForOne,
  }),
  market,
}
