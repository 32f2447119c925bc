import { encodeFunctionData } from 'viem/utils'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import type { PoolSwap } from '../pool-swap.ts'
import { coinPaymentsAbi, feePaymentsAbi, innerSwapsAbi, multicallAbi, routerItself } from './abi.ts'
import { packPath } from './path.ts'

/** Encodes a swap along a path, followed by fee payments in the input token; the router wraps and unwraps the native coin. */
export function encodeV3Swap(ask: PoolSwap<SwapPath>): Transaction {
  const { exact, path, amountIn, amountOut, isNativeIn = false, isNativeOut = false, fees = [] } = ask
  const recipient = isNativeOut ? routerItself : ask.recipient
  const [tokenIn, tokenOut, ...more] = path.tokens
  const [fee] = path.fees
  if (!tokenIn || !tokenOut || fee === undefined)
    throw new AppError('BUG', 'A path has at least two tokens and one fee')
  const packed = packPath(path, exact)
  const single = { tokenIn, tokenOut, fee, recipient, sqrtPriceLimitX96: 0n }
  const bounds =
    exact === 'in' ? { amountIn, amountOutMinimum: amountOut } : { amountOut, amountInMaximum: amountIn }
  const functionName =
    `exact${exact === 'in' ? 'Input' : 'Output'}${more.length === 0 ? 'Single' : ''}` as const
  const params = more.length === 0 ? { ...single, ...bounds } : { path: packed, recipient, ...bounds }
  const calls = [
    encodeFunctionData({ abi: innerSwapsAbi, functionName, args: [params as never] }),
    ...(isNativeOut
      ? [
          encodeFunctionData({
            abi: coinPaymentsAbi,
            functionName: 'unwrapWETH9',
            args: [amountOut, ask.recipient],
          }),
        ]
      : []),
    ...(isNativeIn && exact === 'out'
      ? [encodeFunctionData({ abi: coinPaymentsAbi, functionName: 'refundETH' })]
      : []),
    ...fees.flatMap(({ to, amount }) => [
      encodeFunctionData({ abi: feePaymentsAbi, functionName: 'pull', args: [tokenIn, amount] }),
      encodeFunctionData({ abi: feePaymentsAbi, functionName: 'sweepToken', args: [tokenIn, amount, to] }),
    ]),
  ]
  return {
    to: ask.router,
    data: encodeFunctionData({
      abi: multicallAbi,
      functionName: 'multicall',
      args: [BigInt(ask.deadline), calls],
    }),
    value: isNativeIn ? amountIn : 0n,
    chainId: ask.chainId,
  }
}
