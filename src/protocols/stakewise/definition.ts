import { contract } from '../../chain/call.ts'
import { type Protocol, stakingDescription } from '../protocol.ts'
import { stakewiseAbi } from './abi.ts'
import { checkStakewiseCalldata } from './calldata-check.ts'
import type { StakewiseConstants } from './constants-schema.ts'
import { stakewise as market } from './market-adapter.ts'
import { stakewiseQueue } from './queue.ts'

/** The Genesis vault of StakeWise v3. */
export const stakewise: Protocol<StakewiseConstants> = {
  grade: {
    grade: 'B',
    by: '@stakewise/v3-sdk 2.0.2; if rewards of the vault are due, the SDK collects them first, and this program does not',
  },
  description: stakingDescription,
  calldata: ({ asset }, { vault }) => ({
    targets: [vault],
    check: (transaction, intent) => checkStakewiseCalldata(transaction, intent, asset),
    cost: (amount) => ({
      read: contract(vault, stakewiseAbi)('convertToShares', amount),
      unitsOf: (shares) => shares,
    }),
    byUnits: true,
  }),
  queue: stakewiseQueue,
  market,
}
