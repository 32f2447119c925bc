import type { Quote } from '../../../api/quote.ts'
import type { Address } from '../../../domain/address.ts'
import { tokenAmount } from '../../../domain/amount.ts'
import { isOnBitcoin } from '../../../domain/bitcoin.ts'
import { AppError } from '../../../domain/errors.ts'
import { type Next, sameWith, sluice } from '../../../domain/text/next-step.ts'
import type { Cli } from '../../command-run-types.ts'
import { nextLine } from '../../next-step-text.ts'
import { promised } from '../swap-proposal.ts'
import { balanceShortfalls, type Held, readHeld } from './balance-shortfalls.ts'
import type { QuoteRequest } from './parse-quote-flags.ts'
import { type QuoteRefusal, quoteRefusals } from './quote-refusals.ts'

/** The errors that say that no provider has a quote for this amount. */
const withoutQuote = ['NO_ROUTE_FOUND', 'QUOTE_GENERATION_FAILED', 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE']

/**
 * Waits for the quotes of a request and reads at the same time what the payer has; `undefined` where that is not known. If no provider has a quote and
 * the payer lacks the input, the error says this too. Nothing is read of a wallet for a swap from Bitcoin.
 */
export async function withBalance<answer>(
  cli: Cli,
  { payer, request, quoted }: { payer: Address | undefined; request: QuoteRequest; quoted: Promise<answer> },
): Promise<{ answer: answer; held: Held | undefined }> {
  const { tokenIn: token, exact, amount } = request
  const reading = isOnBitcoin(token) ? undefined : readHeld(cli, { payer, token, quoted })
  try {
    const answer = await quoted
    return { answer, held: await reading }
  } catch (error) {
    if (!(error instanceof AppError) || !withoutQuote.includes(error.code) || exact !== 'in') throw error
    const held = await reading
    const lacks = held ? balanceShortfalls(held, { token, amountIn: amount, estimatedGas: null }) : []
    if (lacks.length === 0) throw error
    const besides = lacks.map(({ message }) => message).join('. ')
    throw new AppError(error.code, `${error.message}. Besides, ${besides}`, {
      cause: error,
      details: { ...error.details, refusals: refusalRows(cli, lacks) },
      next: error.next,
    })
  }
}

/** What executing a quote spends at most and receives at least; `null` if it has no bound, which `refusals` says. */
function acceptedOf(quote: Quote, { exact, slippage }: QuoteRequest) {
  try {
    const bound = promised(quote, { exact, slippage, least: null })
    return {
      amountIn: tokenAmount(bound.amountIn, quote.tokenIn),
      amountOut: tokenAmount(bound.amountOut, quote.tokenOut),
    }
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/**
 * What executing a quote accepts, and why it would be refused: what the payer lacks, and the limits. `share` is its price impact as a fraction. A swap
 * from Bitcoin has neither.
 */
export async function acceptsAndRefusals(
  cli: Cli,
  quote: Quote,
  { request, held, share }: { request: QuoteRequest; held: Held | undefined; share: number | null },
): Promise<{ accepts: ReturnType<typeof acceptedOf>; refusals: QuoteRefusal[] }> {
  if (isOnBitcoin(quote.from)) return { accepts: null, refusals: [] }
  const accepts = acceptedOf(quote, request)
  const amountIn = accepts ? BigInt(accepts.amountIn.raw) : quote.tokenIn.amount
  const lacks = held
    ? balanceShortfalls(held, { token: request.tokenIn, amountIn, estimatedGas: quote.estimatedGas })
    : []
  return { accepts, refusals: [...lacks, ...(await quoteRefusals(cli, quote, request, share))] }
}

/** Refusals as JSON: the flags that accept one and the command after it as text, for the profile of the line that ran. */
export const refusalRows = (cli: Cli, refusals: readonly QuoteRefusal[]) =>
  refusals.map(({ flags, next, ...one }) => ({
    ...one,
    flag: flags && cli.line(sameWith(flags)),
    next: next && nextLine(next, sameTarget(cli)),
  }))

/** The profile of the line that ran, for the next one. */
const sameTarget = ({ globals: { profile } }: Cli) => ({ target: { profile } })

/**
 * The command that brings or shows what the wallet lacks, else the one that executes a quote with the flags that accept what would be refused;
 * `null` if no flag does.
 */
export function nextAfterQuote(
  { id, refusals }: { id: string | null; refusals: readonly QuoteRefusal[] },
  wallet: string | undefined,
): Next | null {
  const [first] = refusals.flatMap(({ next }) => next ?? [])
  if (first !== undefined) return first
  if (!id || refusals.some(({ flags }) => flags === null)) return null
  return sluice('swap execute', id, { '--wallet': wallet }, ...refusals.flatMap(({ flags }) => flags ?? []))
}
