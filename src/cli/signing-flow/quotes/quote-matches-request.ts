import type { Quote } from '../../../api/quote.ts'
import { sameAddress } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import { sanitizeText } from '../../../domain/text/terminal-sanitizing.ts'
import type { Token } from '../../../domain/token.ts'
import { quoteExpiredError } from '../../../domain/used-order-and-expired-quote-errors.ts'

/** The hint where the command line has the request of the quote. */
export const sameCommandHint = 'To get a new quote, run the same command again.'

/** Throws unless a quote matches the request (tokens, chains, exact amount) and has not expired. */
export function refuseDrift(
  quote: Quote,
  asked: {
    tokenIn: Token
    tokenOut: Token
    exact: 'in' | 'out'
    amount: bigint
    provider?: string | undefined
  },
  now: number,
): void {
  const sides = [
    ['in', asked.tokenIn, quote.tokenIn, quote.from],
    ['out', asked.tokenOut, quote.tokenOut, quote.to],
  ] as const
  for (const [side, wanted, given, { chainId }] of sides)
    if (
      chainId !== wanted.chainId ||
      given.chainId !== wanted.chainId ||
      !sameAddress(given.address, wanted.address)
    )
      throw new AppError(
        'POLICY_QUOTE_DRIFT',
        `Wrong token ${side} in the quote: requested ${wanted.symbol} ${wanted.address} on chain ${wanted.chainId}`,
      )
  const { provider } = asked
  if (provider !== undefined && quote.provider.toLowerCase() !== provider.toLowerCase())
    throw new AppError(
      'POLICY_QUOTE_DRIFT',
      `The quote is from ${sanitizeText(quote.provider)}, but ${provider} was requested`,
    )
  const amount = asked.exact === 'in' ? quote.tokenIn.amount : quote.tokenOut.amount
  if (amount !== asked.amount)
    throw new AppError('POLICY_QUOTE_DRIFT', 'The amount in the quote is not the requested amount')
  if (quote.deadline !== null && Date.parse(quote.deadline) <= now)
    throw quoteExpiredError(Date.parse(quote.deadline), { isUnsigned: true, next: sameCommandHint })
}
