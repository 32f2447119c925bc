import { formatUnits } from 'viem/utils'

import { aaveV3OracleAbi } from '../calls/aave-v3.ts'
import { nativeAddress } from '../domain/address.ts'
import type { Catalog } from '../domain/catalog.ts'
import type { Token } from '../domain/token.ts'
import { known, type Reading } from './reading.ts'

/** USD for one whole token with 8 decimals; `null` is unknown. */
export type Price = bigint | null

/** The USD price of a token by the Aave oracle of its chain: 8 decimals, 0 means unknown (source: AaveOracle.getAssetPrice). */
export function priceOf(catalog: Catalog, token: Token): Reading<Price> {
  const oracle = catalog.priceOracles[token.chainId]
  const asked = token.address === nativeAddress ? wrappedOf(catalog, token) : token
  if (!oracle || !asked) return known(null)
  return {
    reads: [{ address: oracle, abi: aaveV3OracleAbi, functionName: 'getAssetPrice', args: [asked.address] }],
    parse: ([price]) => (typeof price === 'bigint' && price > 0n ? price : null),
  }
}

/** The token that wraps the native coin, which is worth the same; `undefined` where not exactly one token is called so. */
function wrappedOf({ tokens }: Catalog, { chainId, symbol }: Token): Token | undefined {
  const found = tokens.filter((token) => token.chainId === chainId && token.symbol === `W${symbol}`)
  return found.length === 1 ? found[0] : undefined
}

/** What an amount is worth, as a decimal string with at most 8 decimals; `null` where there is no price. */
export const usd = (
  amount: bigint | null,
  { decimals }: { decimals: number },
  price: Price,
): string | null =>
  amount === null || price === null ? null : formatUnits((amount * price) / 10n ** BigInt(decimals), 8)

/** The sum of amounts in USD; what is unknown counts as nothing. */
export const sumUsd = (values: readonly (string | null)[]): string =>
  formatUnits(
    values.reduce((sum, value) => sum + (value === null ? 0n : toUnits(value)), 0n),
    8,
  )

function toUnits(value: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(value)!
  const units = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'))
  return sign ? -units : units
}
