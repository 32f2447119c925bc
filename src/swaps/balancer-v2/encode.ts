import { encodeFunctionData } from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { PoolSwap } from '../pool-swap.ts'
import { vaultSwaps } from './abi.ts'
import { fundsOf, stepsOf } from './path-quote.ts'
import type { PoolPath } from './pool-paths.ts'

/** Encodes a Vault swap along a path. `sender` pays and must also send the transaction. The Vault wraps and unwraps the native coin. */
export function swapBalancerV2(asked: PoolSwap<PoolPath> & { sender: Address }): Transaction {
  const { exact, path, amountIn, amountOut, isNativeIn = false, isNativeOut = false } = asked
  const isIn = exact === 'in'
  const given = isIn ? amountIn : amountOut
  const last = path.tokens.length - 1
  const assets = path.tokens.map((token, at) =>
    (at === 0 && isNativeIn) || (at === last && isNativeOut) ? nativeAddress : token,
  )
  const [kind, funds, deadline] = [isIn ? 0 : 1, fundsOf(asked), BigInt(asked.deadline)] as const
  const data =
    path.pools.length === 1
      ? encodeFunctionData({
          abi: vaultSwaps,
          functionName: 'swap',
          args: [
            {
              poolId: path.pools[0]!,
              kind,
              assetIn: assets[0]!,
              assetOut: assets[1]!,
              amount: given,
              userData: '0x',
            },
            funds,
            isIn ? amountOut : amountIn,
            deadline,
          ],
        })
      : encodeFunctionData({
          abi: vaultSwaps,
          functionName: 'batchSwap',
          args: [
            kind,
            stepsOf(path, exact, given),
            assets,
            funds,
            assets.map((_, at) => (at === 0 ? amountIn : at === last ? -amountOut : 0n)),
            deadline,
          ],
        })
  return {
    to: asked.router,
    data: data.toLowerCase() as Hex,
    value: isNativeIn ? amountIn : 0n,
    chainId: asked.chainId,
  }
}
