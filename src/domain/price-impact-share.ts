import { AppError } from './errors.ts'
import { slippageIn } from './slippage.ts'

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
