import type { Offer, OfferRequest } from '../provider.ts'
import type { NetPrices } from './offer-comparison.ts'

/** The share by which an output may exceed every known spot price, in percent. More is never paid: the offer would be signed and not filled. */
export const mostAboveSpotPercent = 3n

/** The highest known output of an input at spot: at the pools of the offers that state it, and at the USD prices; `undefined` if none is known. */
function spotOutput(
  { tokenIn, tokenOut }: Pick<OfferRequest, 'tokenIn' | 'tokenOut'>,
  amountIn: bigint,
  offers: readonly Pick<Offer, 'amountIn' | 'spot'>[],
  prices: Pick<NetPrices, 'tokenIn' | 'tokenOut'>,
): bigint | undefined {
  const atPools = offers.flatMap(({ spot, amountIn: of }) =>
    spot === undefined || of === 0n ? [] : [(spot * amountIn) / of],
  )
  const [paid, got] = [prices.tokenIn, prices.tokenOut]
  const inUsd =
    paid === null || got === null || got === 0n
      ? []
      : [(amountIn * paid * 10n ** BigInt(tokenOut.decimals)) / (got * 10n ** BigInt(tokenIn.decimals))]
  return [...atPools, ...inUsd].reduce<bigint | undefined>(
    (most, one) => (most === undefined || one > most ? one : most),
    undefined,
  )
}

/** By how much an offer's output exceeds every known spot price, in percent, if that is more than accepted; else `undefined`. */
export function percentAboveSpot(
  ask: Pick<OfferRequest, 'tokenIn' | 'tokenOut'>,
  { amountIn, amountOut }: Pick<Offer, 'amountIn' | 'amountOut'>,
  offers: readonly Pick<Offer, 'amountIn' | 'spot'>[],
  prices: Pick<NetPrices, 'tokenIn' | 'tokenOut'>,
): string | undefined {
  const spot = spotOutput(ask, amountIn, offers, prices)
  // One unit more is rounding.
  if (spot === undefined || (amountOut - 1n) * 100n <= spot * (100n + mostAboveSpotPercent)) return undefined
  return spot === 0n ? 'any' : `${((amountOut - spot) * 100n) / spot}`
}
