import type { Quote } from '../../../api/quote.ts'
import type { Amounts } from '../../../domain/accepted-amounts.ts'
import { AppError, hasDefaultAdvice } from '../../../domain/errors.ts'
import { parseSlippage } from '../../../domain/slippage.ts'
import type { LoadedPolicy } from '../../../guard/policy/policy-file.ts'
import { shortfallShare } from '../../../guard/price-tolerance.ts'
import type { Cli } from '../../command-run-types.ts'
import type { QuoteRequest } from './parse-quote-flags.ts'
import { referenceForSwap } from './reference-quote.ts'

/**
 * Requests a quote whose loss including fees is within the given or policy slippage of the local
 * engine's price. If its fees exceed that, requests it once more with a smaller slippage.
 */
export async function quoteWithin(
  cli: Cli,
  wish: QuoteRequest,
  least: bigint | null,
  policy: LoadedPolicy | null,
): Promise<Quote> {
  const { exact, slippage } = wish
  const quote = await wish.ask(cli)
  const allowed = parseSlippage(policy?.policy.maxSlippage ?? '')
  const most = Math.min(slippage ?? 1, allowed ?? 1)
  if (most === 1 || least !== null || !cli.backend.reference) return quote
  const opinion = await referenceForSwap(cli, quote, { exact, slippage, least })
  const less = narrower(quote, opinion?.price, most, exact)
  return less === undefined ? quote : wish.ask(cli, less)
}

/**
 * The slippage to request so that the loss including fees is at most `most` of the local engine's
 * price; `undefined` if the quote is already within it, or no slippage would be.
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
  if (shortfallShare(bound, price) <= most) return undefined
  const lost = shortfallShare(shown, price)
  // A margin for price changes between the two requests.
  const left = Math.floor(((most - lost) / (1 - lost)) * 0.95 * 1e6) / 1e6
  return left >= 0.0001 ? left : undefined
}

/** Replaces the hint of POLICY_MIN_OUT if the person already gave --accept-min-out. */
export const withMinOutHint = (error: unknown, { acceptMinOut }: { acceptMinOut?: string }): unknown =>
  acceptMinOut !== undefined &&
  error instanceof AppError &&
  error.code === 'POLICY_MIN_OUT' &&
  hasDefaultAdvice(error)
    ? error.with({
        next: `Its minimum output is below the ${acceptMinOut} that you accept. Lower that amount, or try again later.`,
      })
    : error
