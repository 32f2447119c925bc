import { type Address, sameAddress } from '../../domain/address.ts'
import { type Invested, payingProfit } from '../positions/principal-rule.ts'
import { type Charge, chargesWithin } from './service-fee-charges.ts'

/** The charges that a wallet pays: a collector pays nothing to itself. */
export const chargesTo = (wallet: Address, charges: readonly Charge[]): Charge[] =>
  charges.filter(({ to }) => !sameAddress(to, wallet))

/**
 * The share of each charge in a withdrawal of `amount`: of the profit that it takes beyond all profit that left before (`payingProfit`), in
 * the smallest unit of the asset. The total is rounded, not each fee. `undefined` if the shares would take the whole amount.
 */
export function performanceFeeShares(
  charges: readonly Charge[],
  invested: Invested,
  amount: bigint,
): { shares: bigint[]; charged: bigint } | undefined {
  const { from, to } = payingProfit(invested, amount)
  const before = chargesWithin(from, charges)
  const shares = chargesWithin(to, charges).map((share, at) => share - before[at]!)
  const charged = shares.reduce((sum, share) => sum + share, 0n)
  return charged > 0n && charged >= amount ? undefined : { shares, charged }
}
