import { AppError } from './errors.ts'
import { parseSlippage } from './slippage.ts'
import { advice, ownHelp } from './text/next-step.ts'

/** Default maximum price impact, as a fraction. */
export const defaultPriceImpact = 0.03

/**
 * Returns the price impact: how far the output is below the spot price, as a fraction. One unit less is rounding;
 * more output than at the spot price is no impact.
 */
export const priceImpactOf = (brings: bigint, spot: bigint): number =>
  spot <= brings + 1n ? 0 : Number(((spot - brings - 1n) * 1_000_000_000n) / spot) / 1e9

/** Formats a fraction as a percentage, as every text does: 0.0321 is `3.21%`. */
export const percentText = (share: number, digits = 2): string => `${(share * 100).toFixed(digits)}%`

/** Formats a fraction as a percentage as a person writes it, to four digits: 0.005 is `0.5%`. */
export const shortPercent = (share: number): string => `${Number((share * 100).toFixed(4))}%`

/** Parses `--max-price-impact` with its unit, `5%` or `500bps`, as a fraction; else USAGE. */
export function parsePriceImpact(text: string): number {
  const share = parseSlippage(text)
  if (share !== undefined && share <= 1) return share
  throw new AppError('USAGE', '--max-price-impact is a share from 0% to 100%, with its unit', {
    next: advice`With its unit, such as 5% or 500bps: ${ownHelp}`,
  })
}
