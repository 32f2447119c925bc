import { encodeFunctionData } from 'viem/utils'
import type { Transaction } from '../../domain/transaction.ts'
import { liquidity } from './abi.ts'
import { isCoin, type Pool, pooledToken } from './lp-token.ts'

/** Deposits an amount into a pool; the LP tokens go to the sender. The native coin is sent along. */
export function addLiquidity({
  chainId,
  amount,
  ...pool
}: Pool & { chainId: number; amount: bigint }): Transaction {
  return {
    to: pool.constants.hubPool,
    data: encodeFunctionData({
      abi: liquidity,
      functionName: 'addLiquidity',
      args: [pooledToken(pool), amount],
    }),
    value: isCoin(pool) ? amount : 0n,
    chainId,
  }
}

/** Redeems LP tokens; the proceeds go to the sender, as the native coin if that is the asset. */
export const removeLiquidity = ({
  chainId,
  units,
  ...pool
}: Pool & { chainId: number; units: bigint }): Transaction => ({
  to: pool.constants.hubPool,
  data: encodeFunctionData({
    abi: liquidity,
    functionName: 'removeLiquidity',
    args: [pooledToken(pool), units, isCoin(pool)],
  }),
  value: 0n,
  chainId,
})
