import { strictDecode } from '../../chain/calldata.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { DecodedSwap } from '../pool-swap-binding.ts'
import { swaps } from './abi.ts'

/** A swap of the router as its call says it, and whether either side of it is the native coin. */
export type PairSwap = DecodedSwap & { isNativeIn: boolean; isNativeOut: boolean }

/** The swap that a call makes; `undefined` for any other call. What is paid in the native coin is its value. */
export function decodeSwap({ data, value }: Pick<Transaction, 'data' | 'value'>): PairSwap | undefined {
  const call = strictDecode(swaps, data)
  switch (call?.functionName) {
    case 'swapExactETHForTokens':
    case 'swapETHForExactTokens': {
      const [amountOut, tokens, recipient, deadline] = call.args
      const exact = call.functionName === 'swapExactETHForTokens' ? 'in' : 'out'
      return {
        exact,
        isNativeIn: true,
        isNativeOut: false,
        tokens,
        amountIn: value,
        amountOut,
        recipient,
        deadline,
      }
    }
    case 'swapExactTokensForTokens':
    case 'swapExactTokensForETH': {
      const [amountIn, amountOut, tokens, recipient, deadline] = call.args
      const isNativeOut = call.functionName === 'swapExactTokensForETH'
      return { exact: 'in', isNativeIn: false, isNativeOut, tokens, amountIn, amountOut, recipient, deadline }
    }
    case 'swapTokensForExactTokens':
    case 'swapTokensForExactETH': {
      const [amountOut, amountIn, tokens, recipient, deadline] = call.args
      const isNativeOut = call.functionName === 'swapTokensForExactETH'
      return {
        exact: 'out',
        isNativeIn: false,
        isNativeOut,
        tokens,
        amountIn,
        amountOut,
        recipient,
        deadline,
      }
    }
    default:
      return undefined
  }
}
