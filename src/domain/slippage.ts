import { AppError } from './errors.ts'

/** The slippage of a swap for which nobody named one, as a fraction. */
export const usualSlippage = 0.005

/** The fraction of an amount that slippage leaves at least, rounded down. Slippage counts in millionths. */
export const less = (amount: bigint, slippage: number): bigint =>
  (amount * (1_000_000n - BigInt(Math.round(slippage * 1e6)))) / 1_000_000n

/** An amount with slippage on top, rounded up. */
export const more = (amount: bigint, slippage: number): bigint =>
  (amount * (1_000_000n + BigInt(Math.round(slippage * 1e6))) + 999_999n) / 1_000_000n

/** `0.5%` or `50bps` as a fraction; `undefined` where there is no such unit. */
export function slippageIn(text: string): number | undefined {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?)(%|bps)$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) / (unit === '%' ? 100 : 10_000)
}

/** By how much less than its spot price an exchange may bring where nobody says anything, as a fraction. */
export const usualImpact = 0.03

/** By how much less than at the spot price an exchange brings, as a fraction. One unit less is rounding, and more than that price is none. */
export const impactOf = (brings: bigint, spot: bigint): number =>
  spot <= brings + 1n ? 0 : Number(((spot - brings - 1n) * 1_000_000_000n) / spot) / 1e9

/** The same in words: `3.21 %`. */
export const impactShown = (share: number): string => `${(share * 100).toFixed(2)} %`

/** A price impact that was typed, with its unit: `5%` or `500bps`, as a fraction. USAGE where it is none. */
export function priceImpact(text: string): number {
  const share = slippageIn(text)
  if (share !== undefined && share <= 1) return share
  throw new AppError('USAGE', '--max-price-impact is a share from 0% to 100%, with its unit', {
    hint: '--max-price-impact 5% or --max-price-impact 500bps',
  })
}
