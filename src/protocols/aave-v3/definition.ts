import { lendingDescription, oneForOne, type Protocol, sdkEqualityNote } from '../protocol.ts'
import { checkAaveV3Calldata } from './calldata-check.ts'
import type { AaveV3Constants } from './constants-schema.ts'
import { aaveV3 as market } from './market-adapter.ts'

/** Aave v3 and its forks. */
export const aaveV3: Protocol<AaveV3Constants> = {
  grade: { grade: 'A', by: `@aave/core-v3 1.19.3${sdkEqualityNote('@aave/contract-helpers 1.38.0')}` },
  forks: {
    isOwn: (protocol) => protocol === 'aave-v3' || protocol.startsWith('aave-v3-'),
    whose: 'Aave v3, from which this protocol was forked',
  },
  description: lendingDescription,
  rateConvention: () => 'the linear rate of the pool, compounded every second over 365 days',
  calldata: ({ asset }, { pool }) => ({
    targets: [pool],
    check: (transaction, intent) => checkAaveV3Calldata(transaction, intent, asset),
    cost: oneForOne,
  }),
  market,
}
