import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { DecodedSwap } from '../pool-swap-calldata-check.ts'
import { swapsAbi } from './abi.ts'

/** A router swap, decoded from its call, and which sides are the native coin. */
export type PairSwap = DecodedSwap & { isNativeIn: boolean; isNativeOut: boolean }

/** The supported functions: the exact side, and the side with the native coin. */
const forms = {
  swapExactETHForTokens: { exact: 'in', isNativeIn: true, isNativeOut: false },
  swapETHForExactTokens: { exact: 'out', isNativeIn: true, isNativeOut: false },
  swapExactTokensForTokens: { exact: 'in', isNativeIn: false, isNativeOut: false },
  swapExactTokensForETH: { exact: 'in', isNativeIn: false, isNativeOut: true },
  swapTokensForExactTokens: { exact: 'out', isNativeIn: false, isNativeOut: false },
  swapTokensForExactETH: { exact: 'out', isNativeIn: false, isNativeOut: true },
} as const

/** Decodes a router swap; `undefined` for other calls. A native input is the call's value. */
export function decodeSwap({ data, value }: Pick<Transaction, 'data' | 'value'>): PairSwap | undefined {
  const call = strictDecode(swapsAbi, data)
  if (!call) return undefined
  const form = forms[call.functionName]
  if (call.args.length === 4) {
    const [amountOut, tokens, recipient, deadline] = call.args
    return { ...form, tokens, amountIn: value, amountOut, recipient, deadline }
  }
  const [first, second, tokens, recipient, deadline] = call.args
  const [amountIn, amountOut] = form.exact === 'in' ? [first, second] : [second, first]
  return { ...form, tokens, amountIn, amountOut, recipient, deadline }
}
