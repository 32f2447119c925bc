import { type Address, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Market } from '../../protocols/market.ts'
import type { Context } from '../context.ts'
import { principalIn } from '../positions/positions.ts'
import { chargesOf, paymentOf, type StatedFee, sharesOf, stated } from './charges.ts'

/** What is said of a fee that is not charged, and why. */
type NotCharged = Omit<StatedFee, 'to'> & { to: null; note: string }

/** The fees of a withdrawal: what is said of them, and the transactions that pay them where there are some. */
export type WithdrawalFee = { fees: (StatedFee | NotCharged)[]; payments: Transaction[]; charged: bigint }

const nothing: WithdrawalFee = { fees: [], payments: [], charged: 0n }

/**
 * What is charged of a withdrawal of `amount`: a share of the profit in it, which is what comes out beyond what was put in and is still
 * there. So the principal comes out first, and no profit is charged twice. Where it is not known, nothing is charged, and that is said.
 * What is queued brings nothing yet, and is not charged; nor is who collects the fees.
 */
export async function withdrawalFee(
  context: Context,
  market: Market,
  wallet: Address,
  amount: bigint,
): Promise<WithdrawalFee> {
  const { profit: all } = await chargesOf(context)
  const charges = all.filter(({ to }) => !sameAddress(to, wallet))
  if (charges.length === 0 || market.queue) return nothing
  const { asset } = market.entry
  const principal = await principalIn(context, market, wallet)
  if (principal === null) {
    const note = 'What of it is profit is not known, so nothing is charged.'
    const said = charges.map((charge) => stated('performance', charge, asset, 0n, amount))
    return { ...nothing, fees: said.map((fee) => ({ ...fee, to: null, note })) }
  }
  const profit = amount > principal ? amount - principal : 0n
  const shares = sharesOf(profit, charges)
  const charged = shares.reduce((sum, share) => sum + share, 0n)
  if (charged >= amount) return nothing
  const fees = charges.flatMap((charge, at) =>
    shares[at]! > 0n ? [stated('performance', charge, asset, shares[at]!, amount)] : [],
  )
  return { fees, payments: fees.map(paymentOf), charged }
}
