import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { liquidity } from './abi.ts'
import { isCoin, type Pool, pooledToken } from './lp-token.ts'

/** Deposits an amount into a pool; the LP tokens go to the sender. The native coin is sent along. */
export const addLiquidity = ({
  chainId,
  amount,
  ...pool
}: Pool & { chainId: number; amount: bigint }): Transaction =>
  callOf(
    { chainId, to: pool.constants.hubPool, value: isCoin(pool) ? amount : 0n },
    { abi: liquidity, functionName: 'addLiquidity', args: [pooledToken(pool), amount] },
  )

/** Redeems LP tokens; the proceeds go to the sender, as the native coin if that is the asset. */
export const removeLiquidity = ({
  chainId,
  units,
  ...pool
}: Pool & { chainId: number; units: bigint }): Transaction =>
  callOf(
    { chainId, to: pool.constants.hubPool },
    { abi: liquidity, functionName: 'removeLiquidity', args: [pooledToken(pool), units, isCoin(pool)] },
  )
