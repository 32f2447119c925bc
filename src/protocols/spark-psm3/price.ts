import { type Call, contract } from '../../chain/call.ts'
import type { Token } from '../../domain/token.ts'
import type { MovingPriceMarket } from '../moving-price-quotes.ts'
import { type PsmTokens, psm3Abi } from './abi.ts'
import type { SparkPsm3Constants } from './constants-schema.ts'

const ray = 10n ** 27n

/** The price of one sUSDS in USD, in rays, as bridged from Ethereum. */
export const psm3Rate = ({ oracle: address }: SparkPsm3Constants): Call<bigint> =>
  contract(address, psm3Abi)('getConversionRate')

/** The value of units of sUSDS, which has 18 decimals, in the asset. */
export const psm3Worth = (rate: bigint, units: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  (units * rate) / ray / 10n ** BigInt(18 - decimals)

/** The fewest units of sUSDS that are worth an amount, plus one. */
export const psm3Units = (rate: bigint, amount: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  rate === 0n ? 0n : (amount * 10n ** BigInt(18 - decimals) * ray) / rate + 1n

/** The quotes of the PSM, with the fair amounts by the oracle. */
export function psm3Exchange(
  constants: SparkPsm3Constants,
  { asset, receipt }: PsmTokens,
): MovingPriceMarket {
  const ask = (from: Token, to: Token, amount: bigint): Call =>
    contract(constants.psm, psm3Abi)('previewSwapExactIn', from.address, to.address, amount)
  const known = (value: unknown) => value as bigint | undefined
  return {
    *into(amount) {
      const [brings, rate] = (yield [ask(asset, receipt, amount), psm3Rate(constants)]).map(known)
      return { brings, fair: rate ? psm3Units(rate, amount, asset) - 1n : undefined }
    },
    *outOf(units) {
      const [brings, rate] = (yield [ask(receipt, asset, units), psm3Rate(constants)]).map(known)
      return { brings, fair: rate === undefined ? undefined : psm3Worth(rate, units, asset) }
    },
  }
}
