import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Hex } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import { type FeePayment, sumOf } from '../../protocols/fee-payments.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { withFeesPaidInCall } from '../add-fees-to-verdict.ts'
import { checkAggregatorSwapCalldata } from '../aggregator-calldata-check.ts'
import { feeFlags, harmlessFlags, metaAggregationRouterAbi } from './abi.ts'

/** The terms of a `swap` call; `undefined` for other calls. */
export function decodeKyberSwap(data: Hex) {
  const call = strictDecode(metaAggregationRouterAbi, data)
  if (call?.functionName !== 'swap') return undefined
  const [{ desc }] = call.args
  return desc
}

/** The fees that a call pays from its amount; `undefined` if they are not exact amounts of the input token. */
export function feesOfKyberSwap({
  feeReceivers,
  feeAmounts,
  flags,
}: NonNullable<ReturnType<typeof decodeKyberSwap>>): FeePayment[] | undefined {
  const isExact = feeReceivers.length === feeAmounts.length && (flags & feeFlags) === 0n
  if (feeReceivers.length + feeAmounts.length > 0 && !isExact) return undefined
  return feeReceivers.map((to, at) => ({ to, amount: feeAmounts[at]! }))
}

/**
 * Checks a router call against the requested swap. The path is not checked: the router gives its executors at most the input, makes only
 * `callBytes` calls and the like, and reverts if the recipient gets less than the minimum.
 */
export function checkKyberSwapCalldata(
  { data }: Pick<Transaction, 'data'>,
  intent: SwapIntent,
): CalldataVerdict {
  const swap = decodeKyberSwap(data)
  const fees = swap ? feesOfKyberSwap(swap) : []
  if (!fees)
    return refuse('POLICY_SERVICE_FEE', 'It pays a fee that is not an exact amount of what the swap spends')
  const swapped = swap && { ...swap, amount: swap.amount - sumOf(fees) }
  const label = 'KyberSwap'
  const verdict = checkAggregatorSwapCalldata(swapped, intent, {
    label,
    odd: () => swap && oddIn(swap, intent),
  })
  return withFeesPaidInCall(verdict, fees, intent)
}

function oddIn(
  swap: NonNullable<ReturnType<typeof decodeKyberSwap>>,
  { amountIn, tokenIn }: SwapIntent,
): CalldataVerdict | undefined {
  if (swap.permit !== '0x' || (swap.flags & ~harmlessFlags) !== 0n)
    return refuse('POLICY_DECODE', 'It carries a permit or an unknown option')
  if (swap.srcAmounts.reduce((sum, one) => sum + one, 0n) > amountIn)
    return refuse('POLICY_AMOUNT', `It passes more than ${formatAmount(amountIn, tokenIn)} to its executors`)
  return undefined
}
