import { encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { exits, maxLoss } from './abi.ts'

type Exit = { chainId: number; vault: Address; amount: bigint; owner: Address }

const leave =
  (functionName: 'withdraw' | 'redeem') =>
  ({ chainId, vault, amount, owner }: Exit): Transaction => ({
    to: vault,
    data: encodeFunctionData({ abi: exits, functionName, args: [amount, owner, owner, maxLoss] }),
    value: 0n,
    chainId,
  })

/** Withdraws exactly so much of the asset to its owner, with the smallest loss at most. */
export const withdrawWithLoss = leave('withdraw')

/** Redeems exactly so many shares to their owner, with the smallest loss at most. */
export const redeemWithLoss = leave('redeem')
