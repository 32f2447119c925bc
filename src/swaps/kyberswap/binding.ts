import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { unlessSame } from '../../domain/swap-amounts.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Intent } from '../../protocols/intent.ts'
import { refuse, type Verdict } from '../../protocols/verdict.ts'
import { harmlessFlags, metaAggregationRouterAbi, nativeMark } from './abi.ts'

/** A token as the router writes it. */
export const routerToken = ({ address }: Pick<Token, 'address'>): Address =>
  sameAddress(address, nativeAddress) ? nativeMark : address

/** The terms of a call of `swap`; `undefined` for another call. */
export function decodeKyberSwap(data: Hex) {
  const call = strictDecode(metaAggregationRouterAbi, data)
  if (call?.functionName !== 'swap') return undefined
  const [{ desc }] = call.args
  return desc
}

/**
 * Binds a call of the router to the swap that was asked for. The way that the tokens take is not read: the router gives its executors
 * no more than the input, calls nothing but `callBytes` and the like of them, and reverts if the recipient gets less than the minimum.
 */
export function bindKyberSwap(
  { data }: Pick<Transaction, 'data'>,
  intent: Extract<Intent, { kind: 'swap' }>,
): Verdict {
  const { tokenIn, tokenOut } = intent
  const swap = decodeKyberSwap(data)
  if (!swap) return refuse('POLICY_DECODE', 'It is not a call of swap of the router of KyberSwap')
  if (intent.exact === 'out') return refuse('POLICY_DECODE', 'KyberSwap cannot fix what comes out')
  const { srcToken, dstToken, srcAmounts, feeReceivers, feeAmounts, dstReceiver, amount, minReturnAmount } =
    swap
  if (!sameAddress(srcToken, routerToken(tokenIn)) || !sameAddress(dstToken, routerToken(tokenOut)))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${srcToken} to ${dstToken}, not ${tokenIn.symbol} to ${tokenOut.symbol}`,
    )
  if (!sameAddress(dstReceiver, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${dstReceiver}, not to ${intent.recipient}`)
  if (feeReceivers.length > 0 || feeAmounts.length > 0)
    return refuse('POLICY_AMOUNT', 'It pays a fee to somebody that nobody agreed to')
  if (swap.permit !== '0x' || (swap.flags & ~harmlessFlags) !== 0n)
    return refuse('POLICY_DECODE', 'It carries a permit or an option that is not known to be harmless')
  const isNativeIn = sameAddress(tokenIn.address, nativeAddress)
  const [spent, toSpend] = [formatAmount(amount, tokenIn), formatAmount(intent.amountIn, tokenIn)]
  if (amount !== intent.amountIn) return refuse('POLICY_AMOUNT', `It spends ${spent}, not ${toSpend}`)
  if (srcAmounts.reduce((sum, one) => sum + one, 0n) > amount)
    return refuse('POLICY_AMOUNT', `It hands its executors more than ${toSpend}`)
  const [brought, toBring] = [
    formatAmount(minReturnAmount, tokenOut),
    formatAmount(intent.amountOut, tokenOut),
  ]
  if (minReturnAmount < intent.amountOut)
    return refuse('POLICY_MIN_OUT', `It may bring only ${brought}, less than ${toBring}`)
  return {
    bound: {
      name: 'swap',
      args: jsonArguments({ srcToken, dstToken, dstReceiver, amount, minReturnAmount, flags: swap.flags }),
      text: `Swap ${spent} for at least ${brought} on KyberSwap${unlessSame(minReturnAmount, intent.amountOut, tokenOut)}`,
      value: isNativeIn ? amount : 0n,
      ...(!isNativeIn && { spends: { token: tokenIn.address, amount } }),
    },
  }
}
