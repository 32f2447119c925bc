import { sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Verdict } from '../protocols/calldata-verdict.ts'
import { type FeePayment, sumOf } from '../protocols/fee-amounts.ts'
import type { SwapIntent } from '../protocols/intent.ts'

/**
 * The verdict of a swap whose call also pays `fees` of its input token: they are told in its text, and the wallet spends them with the
 * input. Whether they are the ones that were stated is for the guard to say.
 */
export function withFeesPaidInCall(
  verdict: Verdict,
  fees: readonly FeePayment[],
  { tokenIn, wallet }: SwapIntent,
): Verdict {
  if ('violation' in verdict || fees.length === 0) return verdict
  const { args, text, value, spends, ...bound } = verdict.bound
  const cost = sumOf(fees)
  const told = fees.map(({ to, amount }) =>
    sameAddress(to, wallet)
      ? `; the swap itself pays a fee of ${formatAmount(amount, tokenIn)} to the wallet, which collects the fees: it keeps it`
      : `; the swap itself pays the service a fee of ${formatAmount(amount, tokenIn)} to ${to}`,
  )
  return {
    bound: {
      ...bound,
      args: { ...args, fees: fees.map(({ to, amount }) => `${amount} to ${to}`).join(', ') },
      text: `${text}${told.join('')}`,
      value: spends ? value : value + cost,
      ...(spends && { spends: { ...spends, amount: spends.amount + cost } }),
      fees,
    },
  }
}
