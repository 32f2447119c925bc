import type { Quote } from '../../../api/quote.ts'
import { nativeAddress } from '../../../domain/address.ts'
import { tokenAmount } from '../../../domain/amount.ts'
import { AppError } from '../../../domain/errors.ts'
import { networkNamed } from '../../../domain/networks.ts'
import { priceImpactOf } from '../../../domain/price-impact-share.ts'
import { type Flags, isNext, type Next } from '../../../domain/text/next-step.ts'
import { nativeToken } from '../../../domain/token.ts'
import { slippageOf } from '../../../guard/intent-slippage.ts'
import { factsWithoutTransactions } from '../../../guard/policy/policy-facts.ts'
import { policyRules } from '../../../guard/policy/rules.ts'
import { refusePriceImpact } from '../../../planning/price-impact.ts'
import type { Intent } from '../../../protocols/intent.ts'
import type { Cli } from '../../command-run-types.ts'
import { promised } from '../swap-proposal.ts'
import { termsOf } from '../user-terms-from-flags.ts'
import type { QuoteRequest } from './parse-quote-flags.ts'

/**
 * Why executing a quote will be refused, and the flags that accept it; `null` where none does. For a lack of funds, the amount that is missing and
 * the command that shows or brings it.
 */
export type QuoteRefusal = {
  code: string
  message: string
  flags: Flags | null
  missing: ReturnType<typeof tokenAmount> | null
  next: Next | null
}

/** The policy rules that a quote alone decides; the others need its transactions. */
const decidable = ['perTransaction', 'perDay', 'receivers', 'maxSlippage', 'maxPriceImpact']

/**
 * Why executing a quote without more flags will be refused, as far as the quote tells: its price impact, its minimum, and the policy. `share` is its
 * price impact as a fraction.
 */
export async function quoteRefusals(
  cli: Cli,
  quote: Quote,
  { exact, slippage, destination, tokenIn, tokenOut }: QuoteRequest,
  share: number | null,
): Promise<QuoteRefusal[]> {
  const terms = termsOf(cli, {})
  const bounds = caught(() => promised(quote, { exact, slippage, least: null }))
  if (bounds instanceof AppError) return [refusalOf(bounds)]
  const isTransfer = tokenIn.chainId !== tokenOut.chainId && tokenIn.symbol === tokenOut.symbol
  const impact = isTransfer
    ? priceImpactOf(
        bounds.amountOut * 10n ** BigInt(tokenIn.decimals),
        bounds.amountIn * 10n ** BigInt(tokenOut.decimals),
      )
    : share
  // Without a price of the service, the pools are read when the transactions are known.
  const above =
    impact === null
      ? undefined
      : caught(() =>
          refusePriceImpact([{ leg: 0, share: impact, by: 'usd' }], { ...terms, isLookedAt: false }),
        )
  const first = above instanceof AppError ? [refusalOf(above)] : []
  if (!terms.policy) return first
  const wallet = await cli.backend.signerIdentity({}).then(
    ({ address }) => address,
    () => nativeAddress,
  )
  const intent: Intent = {
    kind: 'swap',
    wallet,
    provider: quote.provider,
    tokenIn,
    tokenOut,
    exact,
    amountIn: bounds.amountIn,
    amountOut: bounds.amountOut,
    recipient: destination ?? wallet,
    deadline: Math.floor(Date.parse(bounds.deadline) / 1_000),
  }
  const amounts = {
    in: tokenAmount(quote.tokenIn.amount, tokenIn),
    out: tokenAmount(quote.tokenOut.amount, tokenOut),
  }
  const catalog = await cli.backend.catalog()
  const { networks } = catalog
  const facts = factsWithoutTransactions({
    leg: { intent, slippage: slippageOf(intent, amounts), impact },
    networks,
    coin: nativeToken(networkNamed(networks, quote.from.chainId)),
    at: cli.program.now(),
  })
  const rules = policyRules(terms.policy.policy, catalog, facts)
  const broken = rules.filter(({ rule, met }) => !met && decidable.includes(rule.split(' ')[0] ?? ''))
  return [
    ...first,
    ...broken.map(({ rule, wanted, found, code }) => ({
      code: code ?? 'POLICY_LIMIT',
      message: `The policy allows ${rule}: ${wanted}, and the quote has ${found}`,
      flags: null,
      missing: null,
      next: null,
    })),
  ]
}

function caught<value>(work: () => value): value | AppError {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** A refusal by its error, with the flag that accepts its price impact. */
const refusalOf = ({ code, message, next = [] }: AppError): QuoteRefusal => {
  const most = next.find((part) => isNext(part) && part.command === 'same')
  const share = isNext(most) && most.flags['--max-price-impact']
  return {
    code,
    message,
    flags: typeof share === 'string' && share !== 'SHARE' ? { '--max-price-impact': share } : null,
    missing: null,
    next: null,
  }
}
