import { type Address, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Market } from '../../protocols/market.ts'
import type { EngineContext } from '../context.ts'
import { readPrincipal } from '../positions/principal.ts'
import { chargesOf, chargesWithin, feePayment, type StatedFee, statedFee } from './charges.ts'

/** What is said of a fee that is not charged, and why. */
type UnchargedFee = Omit<StatedFee, 'to'> & { to: null; note: string }

/** The fees of a withdrawal: what is said of them, and the transactions that pay them where there are some. */
export type WithdrawalFee = { fees: (StatedFee | UnchargedFee)[]; payments: Transaction[]; charged: bigint }

const noFee: WithdrawalFee = { fees: [], payments: [], charged: 0n }

/**
 * What is charged of a withdrawal of `amount`: a share of the profit in it, which is what comes out beyond what was put in and is still
 * there. So the principal comes out first, and no profit is charged twice. Where it is not known, nothing is charged, and that is said.
 * What is queued brings nothing yet, and is not charged; nor is who collects the fees.
 */
export async function withdrawalFeeOf(
  context: EngineContext,
  market: Market,
  wallet: Address,
  amount: bigint,
): Promise<WithdrawalFee> {
  const { profit: all } = await chargesOf(context)
  const charges = all.filter(({ to }) => !sameAddress(to, wallet))
  if (charges.length === 0 || market.queue) return noFee
  const { asset } = market.entry
  const principal = await readPrincipal(context, market, wallet)
  if (principal === null) {
    const note = 'What of it is profit is not known, so nothing is charged.'
    const said = charges.map((charge) => statedFee('performance', charge, asset, 0n, amount))
    return { ...noFee, fees: said.map((fee) => ({ ...fee, to: null, note })) }
  }
  const profit = amount > principal ? amount - principal : 0n
  const shares = chargesWithin(profit, charges)
  const charged = shares.reduce((sum, share) => sum + share, 0n)
  if (charged >= amount) return noFee
  const fees = charges.flatMap((charge, at) =>
    shares[at]! > 0n ? [statedFee('performance', charge, asset, shares[at]!, amount)] : [],
  )
  return { fees, payments: fees.map(feePayment), charged }
}
