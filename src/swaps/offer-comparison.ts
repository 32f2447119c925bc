import { formatUnits } from 'viem/utils'
import type { Price } from '../domain/usd.ts'
import type { Ask, Offer } from './provider.ts'

/** What an offer is measured with: the USD prices of its tokens and of the coin that pays for gas, and the gas price in wei. */
export type NetPrices = { tokenIn: Price; tokenOut: Price; coin: Price; gasPrice: bigint | null }

/** What the gas of an offer costs in USD, with 8 decimals; `null` is unknown. */
function gasInUsd({ gas }: Pick<Offer, 'gas'>, { coin, gasPrice }: NetPrices): bigint | null {
  if (gas === undefined || coin === null || gasPrice === null) return null
  return (gas * gasPrice * coin) / 10n ** 18n
}

/** The same as a decimal string. */
export const gasCostUsd = (offer: Pick<Offer, 'gas'>, prices: NetPrices): string | null => {
  const cost = gasInUsd(offer, prices)
  return cost === null ? null : formatUnits(cost, 8)
}

/**
 * What an offer is worth after its gas: the output less the gas for an exact input, in units of the output; the input and the gas for an
 * exact output, in units of the input. `null` if the gas or a price is unknown.
 */
export function netAmount(
  ask: Pick<Ask, 'exact' | 'tokenIn' | 'tokenOut'>,
  offer: Offer,
  prices: NetPrices,
): bigint | null {
  const cost = gasInUsd(offer, prices)
  const [token, price] = ask.exact === 'in' ? [ask.tokenOut, prices.tokenOut] : [ask.tokenIn, prices.tokenIn]
  if (cost === null || price === null || price === 0n) return null
  const gas = (cost * 10n ** BigInt(token.decimals) + price - 1n) / price
  return ask.exact === 'in' ? offer.amountOut - gas : offer.amountIn + gas
}

/**
 * Whether an offer is better than another: by the net amounts where both are known; an unknown one never wins against a known one; where
 * both are unknown, by the gross amounts.
 */
export function isBetter(ask: Ask, one: Offer, other: Offer, prices: NetPrices): boolean {
  const [mine, theirs] = [netAmount(ask, one, prices), netAmount(ask, other, prices)]
  if ((mine === null) !== (theirs === null)) return mine !== null
  const [a, b] =
    mine !== null && theirs !== null
      ? [mine, theirs]
      : ask.exact === 'in'
        ? [one.amountOut, other.amountOut]
        : [one.amountIn, other.amountIn]
  return ask.exact === 'in' ? a > b : a < b
}
