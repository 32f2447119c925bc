import { contract } from '../../chain/call.ts'
import { lendingDescription, oneForOne, type Protocol } from '../protocol.ts'
import { acceptedDrift } from '../withdrawal-units.ts'
import { cometAbi } from './abi.ts'
import { checkCompoundV3Calldata } from './calldata-check.ts'
import type { CompoundV3Constants } from './constants-schema.ts'
import { compoundV3 as market } from './market-adapter.ts'

export const compoundV3: Protocol<CompoundV3Constants> = {
  grade: { grade: 'B', by: '@compound-finance/compound-js 0.6.2' },
  description: lendingDescription,
  calldata: ({ asset }, { comet }) => ({
    targets: [comet],
    check: (transaction, intent) => checkCompoundV3Calldata(transaction, intent, asset),
    cost: oneForOne,
  }),
  // A deposit of a wallet with a debt repays that first.
  brings: ({ comet }, { amount, wallet }) => ({
    read: contract(comet, cometAbi)('borrowBalanceOf', wallet),
    unitsOf: (debt) => {
      const left = debt === 0n ? amount : amount - debt - acceptedDrift(debt)
      return left > 0n ? left : 0n
    },
  }),
  market,
}
