import type { Token } from '../../domain/token.ts'
import { type Price, usd } from '../../domain/usd.ts'

/** One side of a quote as the client gets it, with the USD price of a whole token. */
export const quoteSide = (token: Token, amount: bigint, price: Price) => ({
  contract: token.address,
  symbol: token.symbol,
  decimals: token.decimals,
  amount: String(amount),
  chainId: token.chainId,
  priceUSD: usd(10n ** BigInt(token.decimals), token, price),
})
