import type { Amounts } from '../domain/accepted-amounts.ts'
import type { Intent } from '../protocols/intent.ts'

/** The slippage of a swap, as a fraction of the expected amount; `undefined` if unknown or not a swap. */
export function slippageOf(
  intent: Intent,
  { in: expectedIn, out: expectedOut }: { in: { raw: string } | null; out: { raw: string } | null },
): number | undefined {
  if (isPriced(intent))
    return expectedOut ? roundFraction(1 - ratio(intent.least, BigInt(expectedOut.raw))) : undefined
  if (intent.kind !== 'swap') return undefined
  const { tokenIn, tokenOut, amountIn, amountOut } = intent
  const isSameKind = tokenIn.symbol === tokenOut.symbol && tokenIn.decimals === tokenOut.decimals
  if (intent.exact === 'out')
    return expectedIn ? roundFraction(ratio(amountIn, BigInt(expectedIn.raw)) - 1) : undefined
  const bringing = expectedOut ? BigInt(expectedOut.raw) : isSameKind ? amountIn : undefined
  return bringing === undefined ? undefined : roundFraction(1 - ratio(amountOut, bringing))
}

/** How much less than at a price amounts bring, as a fraction; zero if more. */
export const lossShare = (given: Amounts, price: Amounts): number =>
  Math.max(0, roundFraction(1 - ratio(given.amountOut * price.amountIn, given.amountIn * price.amountOut)))

/** Rounds a fraction to the digits that amounts carry. */
const roundFraction = (share: number): number => Math.round(share * 1e9) / 1e9

/** The quotient of two amounts, to twelve digits. */
const ratio = (a: bigint, b: bigint): number => (b === 0n ? 0 : Number((a * 10n ** 12n) / b) / 1e12)

/** Whether a deposit or withdrawal is an exchange at a moving price. */
export const isPriced = (
  intent: Intent,
): intent is Extract<Intent, { kind: 'deposit' | 'withdraw' }> & { least: bigint } =>
  (intent.kind === 'deposit' || intent.kind === 'withdraw') && intent.least !== undefined
