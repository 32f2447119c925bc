import { sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { CalldataVerdict } from '../protocols/calldata-verdict.ts'
import { type FeePayment, sumOf } from '../protocols/fee-payments.ts'
import type { SwapIntent } from '../protocols/intent.ts'

/**
 * Adds `fees`, which the call pays in the input token, to the verdict of its swap: to its text, its arguments and the amount that the
 * wallet spends. The guard checks elsewhere that the fees match the quote.
 */
export function withFeesPaidInCall(
  verdict: CalldataVerdict,
  fees: readonly FeePayment[],
  { tokenIn, wallet }: SwapIntent,
): CalldataVerdict {
  if ('violation' in verdict || fees.length === 0) return verdict
  const { args, text, value, spends, ...bound } = verdict.bound
  const cost = sumOf(fees)
  const feeTexts = fees.map(({ to, amount }) =>
    sameAddress(to, wallet)
      ? `; the swap itself pays a fee of ${formatAmount(amount, tokenIn)} to the wallet, which is the fee collector`
      : `; the swap itself pays the service a fee of ${formatAmount(amount, tokenIn)} to ${to}`,
  )
  return {
    bound: {
      ...bound,
      args: { ...args, fees: fees.map(({ to, amount }) => `${amount} to ${to}`).join(', ') },
      text: `${text}${feeTexts.join('')}`,
      value: spends ? value : value + cost,
      ...(spends && { spends: { ...spends, amount: spends.amount + cost } }),
      fees,
    },
  }
}
