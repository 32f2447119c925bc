import { formatAmount } from './amount.ts'
import type { Unit } from './amount-unit.ts'
import { AppError } from './errors.ts'
import { less, more, usualSlippage } from './slippage.ts'

/** How much goes in and how much comes out, in the smallest units. */
export type Amounts = { amountIn: bigint; amountOut: bigint }

/** What a quote shows: the amounts that are expected, and the bounds where the deployment names them. */
export type Shown = Amounts & { minAmountOut: bigint | null; maxAmountIn: bigint | null }

/** What the person asked: which side is exact, the slippage as a fraction and the least that must come, `null` where nothing was said. */
export type Asked = { exact: 'in' | 'out'; slippage: number | null; least: bigint | null }

/**
 * The most that is paid and the least that is accepted for a quote. What the person named counts first. The amounts that a quote shows
 * may slip by what was asked, or by half a percent; its own bounds count where they are no wider than that, to a unit of rounding:
 * who quotes does not say how much may slip. A least of nothing is no bound: POLICY_MIN_OUT.
 */
export function acceptedOf(shown: Shown, { exact, slippage, least }: Asked): Amounts {
  const slips = slippage ?? usualSlippage
  const [floor, ceiling] = [less(shown.amountOut, slips), more(shown.amountIn, slips)]
  const narrow = shown.minAmountOut !== null && shown.minAmountOut + 1n >= floor ? shown.minAmountOut : null
  if (exact === 'out') {
    const most = shown.maxAmountIn !== null && shown.maxAmountIn <= ceiling + 1n ? shown.maxAmountIn : ceiling
    return { amountIn: most, amountOut: narrow ?? (shown.minAmountOut === null ? shown.amountOut : floor) }
  }
  const named = least ?? narrow
  const amountOut = named ?? floor
  if (least === null && amountOut === 0n)
    throw new AppError(
      'POLICY_MIN_OUT',
      'The quote names no minimum, and brings so little that none can be derived',
    )
  return { amountIn: shown.amountIn, amountOut }
}

/** What is accepted, in words, where a call promises something else: more, or for less. */
export const unlessSame = (promised: bigint, accepted: bigint, unit: Unit): string =>
  promised === accepted ? '' : ` (${formatAmount(accepted, unit)} is accepted)`
