import { type Address, sameAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import { chargesOf, paymentOf, type StatedFee, shareOf, stated } from './charges.ts'
import type { Context } from './context.ts'
import type { Market } from './markets/market.ts'
import { principalIn } from './positions.ts'

/** What is said of a fee that is not charged, and why. */
type NotCharged = Omit<StatedFee, 'to'> & { to: null; note: string }

/** The fee of a withdrawal: what is said of it, and the transaction that pays it where there is one. */
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
  const { profit: charge } = await chargesOf(context)
  if (!charge || market.queue || sameAddress(charge.to, wallet)) return nothing
  const { asset } = market.entry
  const principal = await principalIn(context, market, wallet)
  if (principal === null) {
    const { to: _, ...said } = stated('performance', charge, asset, 0n, amount)
    const note = 'What of it is profit is not known, so nothing is charged.'
    return { ...nothing, fees: [{ ...said, to: null, note }] }
  }
  const profit = amount > principal ? amount - principal : 0n
  const charged = shareOf(profit, charge)
  if (charged === 0n || charged >= amount) return nothing
  const fee = stated('performance', charge, asset, charged, amount)
  return { fees: [fee], payments: [paymentOf(fee)], charged }
}
