import type { Token } from '../../domain/token.ts'
import { type Price, usd } from '../../domain/usd.ts'

/** Builds one side of a quote for the client, with the USD price of a whole token. */
export const quoteSide = (token: Token, amount: bigint, price: Price) => ({
  contract: token.address,
  symbol: token.symbol,
  decimals: token.decimals,
  amount: String(amount),
  chainId: token.chainId,
  priceUSD: usd(10n ** BigInt(token.decimals), token, price),
})
