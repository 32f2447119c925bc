import { sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith } from '../domain/text/next-step.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { isPriced, slippageOf } from '../guard/intent-slippage.ts'
import { isWithinTolerance, type ReferencePrice, shortfallShare } from '../guard/price-tolerance.ts'
import { inShort } from '../protocols/compound-v3/encode.ts'
import { feesOf, withoutPayments } from '../protocols/service-fees-of-intent.ts'
import { activeLegs, type Proposal } from './proposal.ts'
import type { TokenUsdPrice as UsdPrice } from './usd-value.ts'

/**
 * Our own engine's reference for the same request: the transactions it would build, without fee payments (`undefined` if it
 * cannot), and the price of a swap.
 */
export type ReferenceQuote = {
  transactions?: (proposed: Proposal) => Promise<readonly Transaction[] | undefined>
  price?: ReferencePrice
  /** The price of a swap is the service's word alone: our own engine cannot price it. */
  isWord?: boolean
  /** Token prices in USD, as a fallback. */
  worth?: Promise<readonly UsdPrice[]>
}

/** Whether the service's transactions equal those of our own engine byte for byte; if a call has two forms, either is equal. */
export type Comparison = 'equal' | 'different' | 'unknown'

const same = (a: Transaction, b: Transaction): boolean =>
  sameAddress(a.to, b.to) &&
  inShort(a.data).toLowerCase() === inShort(b.data).toLowerCase() &&
  a.value === b.value &&
  a.chainId === b.chainId

/** Compares a proposal with what our own engine would build; `unknown` without a reference. */
export async function compareWithReference(
  opinion: ReferenceQuote | undefined,
  proposed: Proposal,
): Promise<Comparison> {
  const ours = await opinion?.transactions?.(proposed).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (!ours) return 'unknown'
  // Fee payments are the service's own and are checked against the allowed fee.
  const theirs = proposed.legs.flatMap(({ intent, transactions }) => withoutPayments(intent, transactions))
  return theirs.length === ours.length && theirs.every((one, at) => same(one, ours[at]!))
    ? 'equal'
    : 'different'
}

/** The slippage that an exchange leg may lose, as a fraction, and by whose price; `undefined` if unknown. */
export type SlippageEstimate = { leg: number; share: number | undefined; by: 'own engine' | 'service' }

/**
 * How much less each exchange may bring, fees included: against our own engine if it prices the route, otherwise against the
 * promised amount, which is the service's word unless our own engine is the service.
 */
export function slippageEstimates(
  opinion: ReferenceQuote | undefined,
  proposal: Proposal,
): SlippageEstimate[] {
  return activeLegs(proposal).flatMap(({ intent, at: leg }): SlippageEstimate[] => {
    if (intent.kind !== 'swap' && !isPriced(intent)) return []
    const price = intent.kind === 'swap' ? opinion?.price : undefined
    if (price && intent.kind === 'swap')
      return [{ leg, share: shortfallShare(intent, price), by: 'own engine' }]
    const share = slippageOf(intent, proposal.about.amounts)
    return [{ leg, share, by: opinion?.isWord && !isPriced(intent) ? 'service' : 'own engine' }]
  })
}

/** Refuses a swap that may bring less than our own engine would, beyond the accepted slippage. POLICY_MIN_OUT. */
export function checkPrice(opinion: ReferenceQuote | undefined, proposal: Proposal): void {
  const price = opinion?.price
  if (!price || price.most === null) return
  for (const { intent } of activeLegs(proposal)) {
    if (intent.kind !== 'swap' || isWithinTolerance(intent, price)) continue
    const { amountIn, amountOut, tokenIn, tokenOut } = intent
    const worse = shortfallShare(intent, price)
    const needed = Math.ceil(worse * 10_000) / 100
    throw new AppError(
      'POLICY_MIN_OUT',
      `The swap may return only ${formatAmount(amountOut, tokenOut)} for ${formatAmount(amountIn, tokenIn)}${feesOf(intent).length > 0 ? ', including the service fee' : ''}: ${(worse * 100).toFixed(4)} % less than the ${formatAmount((amountIn * price.amountOut) / price.amountIn, tokenOut)} of the local engine; the maximum is ${price.most * 100} %`,
      {
        next: advice`Get a new quote, or choose another provider. If you accept it: ${sameWith({ '--slippage': `${needed}%` })}`,
      },
    )
  }
}
