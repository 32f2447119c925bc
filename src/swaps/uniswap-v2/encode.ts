import { encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { PoolSwap } from '../pool-swap.ts'
import { swapsAbi } from './abi.ts'

type V2Swap = PoolSwap<readonly Address[]>

/** Encodes a swap along a path of tokens. */
export const swapV2 = (asked: V2Swap): Transaction => ({
  to: asked.router,
  data: callOf(asked),
  value: asked.isNativeIn ? asked.amountIn : 0n,
  chainId: asked.chainId,
})

function callOf({
  exact,
  path,
  amountIn,
  amountOut,
  recipient,
  isNativeIn,
  isNativeOut,
  ...asked
}: V2Swap): Hex {
  const rest = [path, recipient, BigInt(asked.deadline)] as const
  const encode = <name extends (typeof swapsAbi)[number]['name']>(
    functionName: name,
    args: readonly unknown[],
  ) => encodeFunctionData({ abi: swapsAbi, functionName, args } as never)
  if (isNativeIn)
    return exact === 'in'
      ? encode('swapExactETHForTokens', [amountOut, ...rest])
      : encode('swapETHForExactTokens', [amountOut, ...rest])
  if (exact === 'in')
    return encode(isNativeOut ? 'swapExactTokensForETH' : 'swapExactTokensForTokens', [
      amountIn,
      amountOut,
      ...rest,
    ])
  return encode(isNativeOut ? 'swapTokensForExactETH' : 'swapTokensForExactTokens', [
    amountOut,
    amountIn,
    ...rest,
  ])
}
