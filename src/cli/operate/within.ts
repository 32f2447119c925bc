import type { Quote } from '../../api/quote.ts'
import { type Amounts, worseBy } from '../../domain/accepted.ts'
import { slippageIn } from '../../domain/slippage.ts'
import type { KeptPolicy } from '../../wallet/policy/policy.ts'
import type { Cli } from '../cli.ts'
import { opinionOnSwap } from './opinion.ts'
import type { Resolved } from './quoting.ts'

/** A quote that with all fees loses no more than was typed, or than a policy allows, of what our own engine gives: where its fees leave too little of that, it is asked for once more. */
export async function quoteWithin(
  cli: Cli,
  wish: Resolved,
  least: bigint | null,
  policy: KeptPolicy | null,
): Promise<Quote> {
  const { exact, slippage } = wish
  const quote = await wish.ask(cli)
  const allowed = slippageIn(policy?.policy.maxSlippage ?? '')
  const most = Math.min(slippage ?? 1, allowed ?? 1)
  if (most === 1 || least !== null || !cli.place.reference) return quote
  const opinion = await opinionOnSwap(cli, quote, { exact, slippage, least })
  const less = narrower(quote, opinion?.price, most, exact)
  return less === undefined ? quote : wish.ask(cli, less)
}

/**
 * The slippage to ask a service for, so that with all of its fees no more is lost than `most` of what our own engine gives; `undefined` where what it
 * asked for is narrow enough, or nothing would be.
 */
function narrower(
  quote: Quote,
  price: Amounts | undefined,
  most: number,
  exact: 'in' | 'out',
): number | undefined {
  if (!price || (exact === 'in' ? quote.minAmountOut : quote.maxAmountIn) === null) return undefined
  const shown = { amountIn: quote.tokenIn.amount, amountOut: quote.tokenOut.amount }
  const bound =
    exact === 'in' ? { ...shown, amountOut: quote.minAmountOut! } : { ...shown, amountIn: quote.maxAmountIn! }
  if (worseBy(bound, price) <= most) return undefined
  const lost = worseBy(shown, price)
  // A little is left for what the price moves between two questions.
  const left = Math.floor(((most - lost) / (1 - lost)) * 0.95 * 1e6) / 1e6
  return left >= 0.0001 ? left : undefined
}
