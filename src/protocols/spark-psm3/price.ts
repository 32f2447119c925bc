import type { Query } from '../../chain/contract-query.ts'
import type { Token } from '../../domain/token.ts'
import type { Exchange } from '../exchange.ts'
import { psm3Abi, type Tokens } from './abi.ts'
import type { SparkPsm3Constants } from './constants.ts'

const ray = 10n ** 27n

/** What one sUSDS is worth in USD, in rays, by the word that comes over from Ethereum. */
export const psm3Rate = ({ oracle: address }: SparkPsm3Constants): Query => ({
  address,
  abi: psm3Abi,
  functionName: 'getConversionRate',
})

/** What so many units of sUSDS, which has 18 decimals, are worth in the asset. */
export const psm3Worth = (rate: bigint, units: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  (units * rate) / ray / 10n ** BigInt(18 - decimals)

/** What an amount costs in units of sUSDS: as many as are worth no less. */
export const psm3Units = (rate: bigint, amount: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  rate === 0n ? 0n : (amount * 10n ** BigInt(18 - decimals) * ray) / rate + 1n

/** What the PSM gives, beside what the oracle says that it should. */
export function psm3Exchange(constants: SparkPsm3Constants, { asset, receipt }: Tokens): Exchange {
  const ask = (from: Token, to: Token, amount: bigint): Query => ({
    address: constants.psm,
    abi: psm3Abi,
    functionName: 'previewSwapExactIn',
    args: [from.address, to.address, amount],
  })
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
