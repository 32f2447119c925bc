import type { Intent, IntentOf } from '../protocols/intent.ts'
import { shortfallShare } from './price-tolerance.ts'

/**
 * The slippage of a swap, as a fraction of the expected amount, to a unit of rounding; `undefined` if unknown or not a swap.
 */
export function slippageOf(
  intent: Intent,
  { in: expectedIn, out: expectedOut }: { in: { raw: string } | null; out: { raw: string } | null },
): number | undefined {
  const shortOf = (expected: bigint, least: bigint) =>
    expected === 0n
      ? 0
      : shortfallShare({ amountIn: 1n, amountOut: least }, { amountIn: 1n, amountOut: expected })
  if (isPriced(intent)) return expectedOut ? shortOf(BigInt(expectedOut.raw), intent.least) : undefined
  if (intent.kind !== 'swap') return undefined
  const { tokenIn, tokenOut, amountIn, amountOut } = intent
  const isSameKind = tokenIn.symbol === tokenOut.symbol && tokenIn.decimals === tokenOut.decimals
  if (intent.exact === 'out') return expectedIn ? excessShare(amountIn, BigInt(expectedIn.raw)) : undefined
  const bringing = expectedOut ? BigInt(expectedOut.raw) : isSameKind ? amountIn : undefined
  return bringing === undefined ? undefined : shortOf(bringing, amountOut)
}

/** By how much an input exceeds the expected one, as a fraction of it, to a unit of rounding. */
function excessShare(most: bigint, expected: bigint): number {
  const more = most - 1n - expected
  return more <= 0n || expected === 0n ? 0 : Number((more * 1_000_000_000n) / expected) / 1e9
}

/** Whether a deposit or withdrawal is an exchange at a moving price. */
export const isPriced = (intent: Intent): intent is IntentOf<'deposit' | 'withdraw'> & { least: bigint } =>
  (intent.kind === 'deposit' || intent.kind === 'withdraw') && intent.least !== undefined
