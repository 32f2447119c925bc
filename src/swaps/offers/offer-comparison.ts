import { formatUnits } from 'viem/utils'
import type { Price } from '../../domain/usd.ts'
import type { Offer, OfferRequest } from '../provider.ts'

/** The USD prices of an offer's tokens and of its gas coin, and the gas price in wei. */
export type NetPrices = { tokenIn: Price; tokenOut: Price; coin: Price; gasPrice: bigint | null }

/** The gas cost of an offer in USD, with 8 decimals; `null` if unknown. */
function gasInUsd({ gas }: Pick<Offer, 'gas'>, { coin, gasPrice }: NetPrices): bigint | null {
  if (gas === undefined || coin === null || gasPrice === null) return null
  return (gas * gasPrice * coin) / 10n ** 18n
}

/** The gas cost of an offer in USD, as a decimal string; `null` if unknown. */
export const gasCostUsd = (offer: Pick<Offer, 'gas'>, prices: NetPrices): string | null => {
  const cost = gasInUsd(offer, prices)
  return cost === null ? null : formatUnits(cost, 8)
}

/**
 * The value of an offer after gas. Exact input: output minus gas, in units of the output. Exact output: input plus gas, in units of the
 * input. `null` if the gas or a price is unknown.
 */
export function netAmount(
  ask: Pick<OfferRequest, 'exact' | 'tokenIn' | 'tokenOut'>,
  offer: Offer,
  prices: NetPrices,
): bigint | null {
  const cost = gasInUsd(offer, prices)
  const [token, price] = ask.exact === 'in' ? [ask.tokenOut, prices.tokenOut] : [ask.tokenIn, prices.tokenIn]
  if (cost === null || price === null || price === 0n) return null
  const gas = (cost * 10n ** BigInt(token.decimals) + price - 1n) / price
  return ask.exact === 'in' ? offer.amountOut - gas : offer.amountIn + gas
}

/** How offers are compared: by the expected output or input alone, or after gas. */
export type Choice = 'output' | 'after-gas'

/** Whether an offer is better than another; equal outputs or inputs are compared after gas. */
export function isBetter(
  choice: Choice,
  ask: OfferRequest,
  one: Offer,
  other: Offer,
  prices: NetPrices,
): boolean {
  if (choice === 'after-gas') return isBetterAfterGas(ask, one, other, prices)
  const [a, b] = [one, other].map((offer) => grossAmount(ask, offer)) as [bigint, bigint]
  if (a === b) return isBetterAfterGas(ask, one, other, prices)
  return ask.exact === 'in' ? a > b : a < b
}

/** The amount by which offers are compared without gas: the output, or the input of an exact output. What is spent at once counts as its minimum. */
const grossAmount = (
  { exact, isSpent }: Pick<OfferRequest, 'exact' | 'isSpent'>,
  { amountIn, amountOut, minAmountOut }: Offer,
): bigint => (exact === 'out' ? amountIn : isSpent ? minAmountOut : amountOut)

/**
 * Whether an offer is better than another after gas. Known net amounts are compared and win against unknown ones; if both are unknown, the gross
 * amounts decide.
 */
function isBetterAfterGas(ask: OfferRequest, one: Offer, other: Offer, prices: NetPrices): boolean {
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
