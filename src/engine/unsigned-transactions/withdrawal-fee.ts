import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { EngineContext } from '../engine.ts'
import { chargesTo, performanceFeeShares } from '../fees/performance-fee.ts'
import { chargesOf, feePayment, type StatedFee, statedFee } from '../fees/service-fee-charges.ts'
import { readInvested } from '../positions/principal.ts'

/** A fee that is not charged, with the reason. */
type UnchargedFee = Omit<StatedFee, 'to' | 'paidBy'> & { to: null; note: string }

/** The fees of a withdrawal, and the transactions that pay them. */
export type WithdrawalFee = { fees: (StatedFee | UnchargedFee)[]; payments: Transaction[]; charged: bigint }

const noFee: WithdrawalFee = { fees: [], payments: [], charged: 0n }

/**
 * The fees on a withdrawal of `amount`: a share of the profit that it takes beyond all profit that left before (`payingProfit`). So the
 * principal is withdrawn first, and no profit is charged twice. The total is rounded, not each fee, so that the fees of all
 * withdrawals are that share of the whole profit to the unit. If the history is unknown, nothing is charged, and a note says so.
 * Queued withdrawals pay nothing yet and are not charged, and a collector is not charged on its own withdrawals.
 */
export async function withdrawalFeeOf(
  context: EngineContext,
  market: Market,
  wallet: Address,
  amount: bigint,
): Promise<WithdrawalFee> {
  const { profit: all } = await chargesOf(context)
  const charges = chargesTo(wallet, all)
  if (charges.length === 0 || market.queue) return noFee
  const { asset } = market.entry
  const invested = await readInvested(context, market, wallet)
  if (invested === null) {
    const note = 'The profit is unknown, so nothing is charged.'
    const uncharged = charges.map((charge) => statedFee('performance', charge, asset, 0n, amount))
    return { ...noFee, fees: uncharged.map(({ paidBy: _, ...fee }) => ({ ...fee, to: null, note })) }
  }
  const due = performanceFeeShares(charges, invested, amount)
  if (!due) return noFee
  const { shares, charged } = due
  const fees = charges.flatMap((charge, at) =>
    shares[at]! > 0n ? [statedFee('performance', charge, asset, shares[at]!, amount)] : [],
  )
  return { fees, payments: fees.map(feePayment), charged }
}
