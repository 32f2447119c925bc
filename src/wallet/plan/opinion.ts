import { inShort } from '../../calls/compound-v3.ts'
import { isFair, type Price } from '../../domain/accepted.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { withoutFee, withoutPayment } from '../../domain/service-fee.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Price as UsdPrice } from './priced.ts'
import { activeLegs, type Proposal } from './proposal.ts'

/**
 * What our own engine says about the same request: the transactions that it would build for what was proposed
 * without the payment of a fee (`undefined` where it does not know how), and how much a swap should bring for how much.
 */
export type Opinion = {
  transactions?: (proposed: Proposal) => Promise<readonly Transaction[] | undefined>
  price?: Price
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
export async function compareWith(opinion: Opinion | undefined, proposed: Proposal): Promise<Comparison> {
  const ours = await opinion?.transactions?.(proposed).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (!ours) return 'unknown'
  // What the service is paid is its own affair, and held to what was allowed.
  const theirs = proposed.legs.flatMap(({ intent, transactions }) => withoutPayment(intent, transactions))
  return theirs.length === ours.length && theirs.every((one, at) => same(one, ours[at]!))
    ? 'equal'
    : 'different'
}

/** Refuses a swap whose minimum is worse than an independent price by more than is fair. */
export function checkPrice(opinion: Opinion | undefined, proposal: Proposal): void {
  const price = opinion?.price
  if (!price || price.amountIn === 0n || price.amountOut === 0n) return
  for (const { intent } of activeLegs(proposal)) {
    if (intent.kind !== 'swap') continue
    const { amountIn = intent.amountIn } = withoutFee(intent) as Partial<typeof intent>
    if (isFair({ amountIn, amountOut: intent.amountOut }, price)) continue
    throw new AppError(
      'POLICY_MIN_OUT',
      `The swap may bring ${formatAmount(intent.amountOut, intent.tokenOut)} for ${formatAmount(intent.amountIn, intent.tokenIn)}, more than ${Number(price.fairBps) / 100} % less than the ${formatAmount((amountIn * price.amountOut) / price.amountIn, intent.tokenOut)} that our own engine knows`,
      {
        hint: 'Ask for a new quote, or for another provider: --provider. Or say what is enough: --accept-min-out AMOUNT',
      },
    )
  }
}
