import { ask } from '../chain/ask.ts'
import { AppError } from '../domain/errors.ts'
import { defaultPriceImpact, percentText, priceImpactOf } from '../domain/price-impact-share.ts'
import { parseSlippage } from '../domain/slippage.ts'
import { advice, sameWith, sameWithout } from '../domain/text/next-step.ts'
import { tokenAt } from '../domain/token.ts'
import { isPriced } from '../guard/intent-slippage.ts'
import type { Terms } from '../guard/user-limits-and-exemptions.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { sumOf } from '../protocols/fee-payments.ts'
import type { Intent, IntentOf } from '../protocols/intent.ts'
import type { MovingPriceQuote } from '../protocols/moving-price-quotes.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { actionAmong, feesOf, withoutFees } from '../protocols/service-fees-of-intent.ts'
import { swapExchange } from '../swaps/swap-provider-registry.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { activeLegs, type Proposal, type ProposedLeg } from './proposal.ts'
import { type TokenUsdPrice, usdUnits } from './usd-value.ts'

/** Whether a swap only carries an asset to another chain: then nothing slips, and its price is one for one. */
export const isTransfer = ({ tokenIn, tokenOut }: IntentOf<'swap'>): boolean =>
  tokenIn.chainId !== tokenOut.chainId && tokenIn.symbol === tokenOut.symbol

/** How much less than at its spot price an exchange leg brings, as a fraction, and whose price that is: `null` if unknown. */
export type PriceImpact = {
  leg: number
  share: number | null
  by: 'pool' | 'oracle' | 'usd' | 'same-asset' | null
}

type Leg = ProposedLeg & { intent: Intent }

/**
 * The price impact of each exchange leg, read from the chain: of a swap against its pools' prices, of a position against its
 * oracle, of a transfer to another chain against one for one, otherwise against the USD value of both sides.
 */
export async function priceImpacts(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  proposal: Proposal,
  worth: Promise<readonly TokenUsdPrice[]> | undefined,
): Promise<PriceImpact[]> {
  const legs = activeLegs(proposal).filter(({ intent }) => isPriced(intent) || intent.kind === 'swap')
  return Promise.all(
    legs.map(async (leg): Promise<PriceImpact> => {
      const kept = transferCost(context.catalog, leg.intent)
      if (kept !== undefined) return { leg: leg.at, share: kept, by: 'same-asset' }
      const { brings, fair } = (await exchangeOffer(context, leg)) ?? {}
      if (brings !== undefined && fair !== undefined)
        return {
          leg: leg.at,
          share: priceImpactOf(brings, fair),
          by: isPriced(leg.intent) ? 'oracle' : 'pool',
        }
      const share = usdOffer(leg.intent, proposal, (await worth) ?? [])
      return { leg: leg.at, share, by: share === null ? null : 'usd' }
    }),
  )
}

/** What a transfer of an asset of the catalogue to another chain may cost at most, as a fraction; `undefined` if it is none. */
function transferCost({ tokens }: Pick<Catalog, 'tokens'>, intent: Intent): number | undefined {
  if (intent.kind !== 'swap' || !isTransfer(intent)) return undefined
  const { tokenIn, tokenOut, amountOut } = intent
  const isKnown = [tokenIn, tokenOut].every(({ chainId, address }) => tokenAt(tokens, chainId, address))
  if (!isKnown) return undefined
  const { amountIn } = withoutFees(intent) as typeof intent
  const [least, most] = [
    amountOut * 10n ** BigInt(tokenIn.decimals),
    amountIn * 10n ** BigInt(tokenOut.decimals),
  ]
  return priceImpactOf(least, most)
}

/** What an exchange brings now and at the spot price, by our own node; `undefined` if it does not tell. */
async function exchangeOffer(
  { rpc: rpcOf, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { chainId, intent, transactions }: Leg,
): Promise<MovingPriceQuote | undefined> {
  const rpc = rpcOf(chainId)
  if (isPriced(intent)) {
    const { exchange } = calldataRulesOf(intent.strategy)
    const units = intent.kind === 'withdraw' ? (intent.units ?? intent.shares) : undefined
    if (intent.kind === 'deposit') return exchange && ask(rpc, exchange.into(intent.amount))
    return units === undefined ? undefined : exchange && ask(rpc, exchange.outOf(units))
  }
  const exchange = swapExchange(catalog, actionAmong(intent, transactions))
  return exchange && ask(rpc, exchange)
}

/** The same by the USD value of both sides of a swap, service fees aside. */
function usdOffer(intent: Intent, { about }: Proposal, prices: readonly TokenUsdPrice[]): number | null {
  const { in: paid, out } = about.amounts
  if (intent.kind !== 'swap' || !paid || !out) return null
  const { amountIn } = withoutFees(intent) as typeof intent
  // Fees are outside of the price impact; of an exact output, the quoted input is compared.
  const swapped = intent.exact === 'in' ? amountIn : BigInt(paid.raw) - sumOf(feesOf(intent))
  const given = usdUnits(swapped, intent.tokenIn, prices)
  const brought = usdUnits(BigInt(out.raw), intent.tokenOut, prices)
  return given === null || brought === null ? null : priceImpactOf(brought, given)
}

/** Refuses a price impact above the limit, and an unknown one without a terminal. POLICY_PRICE_IMPACT. */
export function refusePriceImpact(impacts: readonly PriceImpact[], terms: Terms): void {
  const { maxPriceImpact: typed = null, policy, isLookedAt = false } = terms
  const allowed = policy?.policy.maxPriceImpact
  const most =
    typed ?? (allowed === undefined ? defaultPriceImpact : (parseSlippage(allowed) ?? defaultPriceImpact))
  for (const { share } of impacts) {
    if (share === null) {
      if (typed !== null || isLookedAt) continue
      throw new AppError(
        'POLICY_PRICE_IMPACT',
        'Only the service states the output, so there is no other price to compare it with',
        {
          details: { share: null },
          next: advice`If you accept that: ${sameWith({ '--max-price-impact': '100%' })}. To confirm it in a terminal: ${sameWithout('--yes')}`,
        },
      )
    }
    if (share <= most) continue
    const accepted = Math.ceil(share * 1_000) / 10
    throw new AppError(
      'POLICY_PRICE_IMPACT',
      `It returns ${percentText(share)} less than at the current price; the maximum is ${percentText(most)}`,
      {
        details: { share, most },
        next: advice`Use a smaller amount, or several parts. If you accept it: ${sameWith({ '--max-price-impact': `${accepted}%` })}`,
      },
    )
  }
}
