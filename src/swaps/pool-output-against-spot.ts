import type { Call, Rounds } from '../chain/call.ts'
import type { MovingPriceQuote as Exchanged } from '../protocols/moving-price-quotes.ts'
import type { DecodedSwap } from './pool-swap-calldata-check.ts'

/**
 * Reads a decoded pool swap's output now and at spot prices. `quote` reads the other amount for a given one, `other` parses the answer, and
 * `fair` computes the output of an input from the answers to `prices`.
 */
export function* poolOutputAgainstSpot(
  { exact, amountIn, amountOut }: Pick<DecodedSwap, 'exact' | 'amountIn' | 'amountOut'>,
  {
    quote,
    other,
    prices,
    fair,
  }: {
    quote: (given: bigint) => Call
    other: (answer: unknown) => bigint | undefined
    prices: readonly Call[]
    fair: (prices: readonly unknown[], paid: bigint) => bigint | undefined
  },
): Rounds<Exchanged> {
  const [quoted, ...answers] = yield [quote(exact === 'in' ? amountIn : amountOut), ...prices]
  const amount = other(quoted)
  if (amount === undefined) return { brings: undefined, fair: undefined }
  const [paid, brings] = exact === 'in' ? [amountIn, amount] : [amount, amountOut]
  return { brings, fair: fair(answers, paid) }
}
