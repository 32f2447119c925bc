import { sameAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'

/** What a unit of a token costs in USD, as decimals; the first that is known of a token holds. */
export type Price = { chainId: number; address: string; usd: string }

/** An amount as a plan prints it, with what it is worth. */
export const priced = (amount: bigint, token: Token, prices: readonly Price[]) => ({
  ...tokenAmount(amount, token),
  usd: usdOf(amount, token, prices),
})

/** What an amount is worth, to the cent and towards zero; `null` where nobody gave a price. */
function usdOf(amount: bigint, token: Token, prices: readonly Price[]): string | null {
  const price = prices.find(
    ({ chainId, address }) => chainId === token.chainId && sameAddress(address, token.address),
  )
  const [, whole, fraction = ''] = /^([0-9]{1,30})(?:\.([0-9]{1,60}))?$/.exec(price?.usd ?? '') ?? []
  if (whole === undefined) return null
  const cents = (amount * BigInt(whole + fraction) * 100n) / 10n ** BigInt(token.decimals + fraction.length)
  return tokenAmount(cents, { symbol: 'USD', decimals: 2 }).formatted
}
