import { contract } from '../../chain/call.ts'
import { lendingDescription, type Protocol, sdkEqualityNote } from '../protocol.ts'
import { comptrollerAbi, cTokenAbi, entranceOf } from './abi.ts'
import { checkCompoundV2Calldata } from './calldata-check.ts'
import type { CompoundV2Constants } from './constants-schema.ts'
import { compoundV2 as market } from './market-adapter.ts'

const scale = 10n ** 18n

/** Venus, Moonwell, Benqi and other forks of Compound v2. */
export const compoundV2: Protocol<CompoundV2Constants> = {
  grade: {
    grade: 'A',
    by: `@venusprotocol/venus-protocol 10.3.0${sdkEqualityNote('@compound-finance/compound-js 0.6.2')}`,
  },
  forks: {
    isOwn: (protocol) => protocol === 'venus',
    whose: 'Venus, also a fork of Compound v2',
  },
  description: lendingDescription,
  rateConvention: ({ compounds, rate }) => {
    if (compounds === 'daily') return 'the rate per second, compounded daily over 365 days'
    return rate === 'block'
      ? 'the rate per block, compounded every block over 365 days, with the interval of the newest blocks'
      : undefined
  },
  calldata: ({ asset }, constants) => {
    const { market: address } = constants
    const read = contract(address, cTokenAbi)<bigint>('exchangeRateCurrent')
    return {
      targets: [entranceOf(constants), address],
      check: (transaction, intent) => checkCompoundV2Calldata(transaction, intent, asset, constants),
      // One unit more where the price does not divide the amount.
      cost: (amount) => ({ read, unitsOf: (rate) => (amount * scale) / rate + 1n }),
    }
  },
  pays: (_, { market: address, comptroller, pauses }, units) => {
    const price = contract(address, cTokenAbi)<bigint>('exchangeRateCurrent')
    // Venus may keep a share of a redemption; its isolated pools lack that function.
    const kept = contract(comptroller, comptrollerAbi)<bigint>('treasuryPercent')
    return {
      reads: pauses === 'action' ? [price, kept] : [price],
      amountOf: ([rate, share = 0n]) =>
        rate === undefined ? undefined : (((units * rate) / scale) * (scale - share)) / scale,
    }
  },
  market,
}
