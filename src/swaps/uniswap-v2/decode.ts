import { strictDecode } from '../../chain/calldata.ts'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { swaps } from './abi.ts'

/** A swap of the router as its call says it. Exact input: `amountOut` is the least; exact output: `amountIn` is the most. */
export type DecodedSwap = {
  exact: 'in' | 'out'
  isNativeIn: boolean
  isNativeOut: boolean
  path: readonly Address[]
  amountIn: bigint
  amountOut: bigint
  recipient: Address
  deadline: bigint
}

/** The swap that a call makes; `undefined` for any other call. What is paid in the native coin is its value. */
export function decodeSwap({ data, value }: Pick<Transaction, 'data' | 'value'>): DecodedSwap | undefined {
  const call = strictDecode(swaps, data)
  switch (call?.functionName) {
    case 'swapExactETHForTokens':
    case 'swapETHForExactTokens': {
      const [amountOut, path, recipient, deadline] = call.args
      const exact = call.functionName === 'swapExactETHForTokens' ? 'in' : 'out'
      return {
        exact,
        isNativeIn: true,
        isNativeOut: false,
        path,
        amountIn: value,
        amountOut,
        recipient,
        deadline,
      }
    }
    case 'swapExactTokensForTokens':
    case 'swapExactTokensForETH': {
      const [amountIn, amountOut, path, recipient, deadline] = call.args
      const isNativeOut = call.functionName === 'swapExactTokensForETH'
      return { exact: 'in', isNativeIn: false, isNativeOut, path, amountIn, amountOut, recipient, deadline }
    }
    case 'swapTokensForExactTokens':
    case 'swapTokensForExactETH': {
      const [amountOut, amountIn, path, recipient, deadline] = call.args
      const isNativeOut = call.functionName === 'swapTokensForExactETH'
      return { exact: 'out', isNativeIn: false, isNativeOut, path, amountIn, amountOut, recipient, deadline }
    }
    default:
      return undefined
  }
}
