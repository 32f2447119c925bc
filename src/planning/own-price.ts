import { sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { isFair, type Price, worseBy } from '../domain/swap-amounts.ts'
import type { Transaction } from '../domain/transaction.ts'
import { isPriced, lossShare, slippageOf } from '../guard/spending.ts'
import { inShort } from '../protocols/compound-v3/encode.ts'
import { feesOf, withoutPayments } from '../protocols/service-fee.ts'
import type { Price as UsdPrice } from './prices.ts'
import { activeLegs, type Proposal } from './proposal.ts'

/**
 * What our own engine says about the same request: the transactions that it would build for what was proposed
 * without the payment of a fee (`undefined` where it does not know how), and how much a swap should bring for how much.
 */
export type ReferenceQuote = {
  transactions?: (proposed: Proposal) => Promise<readonly Transaction[] | undefined>
  price?: Price
  /** What a swap should bring is the word of the service alone: our own engine cannot price it. */
  isWord?: boolean
  /** What tokens cost in USD, for whoever knows no better price. */
  worth?: Promise<readonly UsdPrice[]>
}

/** Whether a service's transactions are those of our own engine, byte for byte; of two forms of one call, either is. */
export type Comparison = 'equal' | 'different' | 'unknown'

const same = (a: Transaction, b: Transaction): boolean =>
  sameAddress(a.to, b.to) &&
  inShort(a.data).toLowerCase() === inShort(b.data).toLowerCase() &&
  a.value === b.value &&
  a.chainId === b.chainId

/** Compares a proposal with what our own engine would build. A reference that cannot answer knows nothing. */
export async function compareWithReference(
  opinion: ReferenceQuote | undefined,
  proposed: Proposal,
): Promise<Comparison> {
  const ours = await opinion?.transactions?.(proposed).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (!ours) return 'unknown'
  // What the service is paid is its own affair, and held to what was allowed.
  const theirs = proposed.legs.flatMap(({ intent, transactions }) => withoutPayments(intent, transactions))
  return theirs.length === ours.length && theirs.every((one, at) => same(one, ours[at]!))
    ? 'equal'
    : 'different'
}

/** What may be lost to slippage on a leg that is an exchange, as a fraction, and by whose price; `undefined` where nobody says. */
export type SlippageEstimate = { leg: number; share: number | undefined; by: 'own engine' | 'service' }

/**
 * What each exchange may bring less, all fees inside: than our own engine gives, where it prices the route, and else than what is promised, which is
 * the word of the service unless our own engine is that.
 */
export function slippageEstimates(
  opinion: ReferenceQuote | undefined,
  proposal: Proposal,
): SlippageEstimate[] {
  return activeLegs(proposal).flatMap(({ intent, at: leg }): SlippageEstimate[] => {
    if (intent.kind !== 'swap' && !isPriced(intent)) return []
    const price = intent.kind === 'swap' ? opinion?.price : undefined
    if (price && intent.kind === 'swap') return [{ leg, share: lossShare(intent, price), by: 'own engine' }]
    const share = slippageOf(intent, proposal.about.amounts)
    return [{ leg, share, by: opinion?.isWord && !isPriced(intent) ? 'service' : 'own engine' }]
  })
}

/** Refuses a swap that may bring less than our own engine would give, by more than is accepted. POLICY_MIN_OUT. */
export function checkPrice(opinion: ReferenceQuote | undefined, proposal: Proposal): void {
  const price = opinion?.price
  if (!price || price.most === null) return
  for (const { intent } of activeLegs(proposal)) {
    if (intent.kind !== 'swap' || isFair(intent, price)) continue
    const { amountIn, amountOut, tokenIn, tokenOut } = intent
    const worse = worseBy(intent, price)
    const needed = Math.ceil(worse * 10_000) / 100
    throw new AppError(
      'POLICY_MIN_OUT',
      `The swap may bring ${formatAmount(amountOut, tokenOut)} for ${formatAmount(amountIn, tokenIn)}${feesOf(intent).length > 0 ? ', the fee of the service among it' : ''}: ${(worse * 100).toFixed(4)} % less than the ${formatAmount((amountIn * price.amountOut) / price.amountIn, tokenOut)} that our own engine knows, and ${price.most * 100} % is the most that is accepted`,
      {
        hint: `Ask for a new quote, or for another provider: --provider. If you accept it: --slippage ${needed}%`,
      },
    )
  }
}
