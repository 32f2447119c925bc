import { sameAddress } from '../domain/address.ts'
import { tokenAmount } from '../domain/amount.ts'
import type { Token } from '../domain/token.ts'

/** The USD price of a token as a decimal; the first known price of a token is used. */
export type TokenUsdPrice = { chainId: number; address: string; usd: string }

/** An amount with its USD value, as a plan prints it. */
export const pricedAmount = (amount: bigint, token: Token, prices: readonly TokenUsdPrice[]) => ({
  ...tokenAmount(amount, token),
  usd: usdValue(amount, token, prices),
})

/** The USD value of an amount, in cents rounded down; `null` without a price. */
function usdValue(amount: bigint, token: Token, prices: readonly TokenUsdPrice[]): string | null {
  const units = usdUnits(amount, token, prices)
  return units === null ? null : tokenAmount(units / 10n ** 10n, { symbol: 'USD', decimals: 2 }).formatted
}

/** The same as a whole number with 12 decimals. */
export function usdUnits(
  amount: bigint,
  token: Pick<Token, 'chainId' | 'address' | 'decimals'>,
  prices: readonly TokenUsdPrice[],
): bigint | null {
  const price = prices.find(
    ({ chainId, address }) => chainId === token.chainId && sameAddress(address, token.address),
  )
  const [, whole, fraction = ''] = /^([0-9]{1,30})(?:\.([0-9]{1,60}))?$/.exec(price?.usd ?? '') ?? []
  if (whole === undefined) return null
  return (amount * BigInt(whole + fraction) * 10n ** 12n) / 10n ** BigInt(token.decimals + fraction.length)
}
