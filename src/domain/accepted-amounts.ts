import { AppError } from './errors.ts'
import { addSlippage, defaultSlippage, subtractSlippage } from './slippage.ts'

/** Input and output amounts, in the smallest units. */
export type Amounts = { amountIn: bigint; amountOut: bigint }

/** The amounts of a quote: the expected ones, and the bounds if the provider gives them. */
export type QuotedAmounts = Amounts & { minAmountOut: bigint | null; maxAmountIn: bigint | null }

/** The user's request: the exact side, the slippage as a fraction and the minimum output, `null` if not given. */
export type AmountRequest = { exact: 'in' | 'out'; slippage: number | null; least: bigint | null }

/**
 * Returns the maximum input and minimum output that are accepted for a quote. The user's minimum comes first.
 * Otherwise the expected amounts may slip by the requested slippage or the default of 0.5 %. The quote's own bounds
 * apply only if they are no wider than that, up to one unit of rounding. A minimum of zero is no bound:
 * POLICY_MIN_OUT.
 */
export function acceptedAmounts(shown: QuotedAmounts, { exact, slippage, least }: AmountRequest): Amounts {
  const slips = slippage ?? defaultSlippage
  const [floor, ceiling] = [subtractSlippage(shown.amountOut, slips), addSlippage(shown.amountIn, slips)]
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
