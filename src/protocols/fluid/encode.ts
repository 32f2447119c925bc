import { encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { limitedWithdrawal } from './abi.ts'

/** Withdraws exactly `amount` of the asset to its owner, for at most `maxShares`. */
export const withdrawLimited = (ask: {
  chainId: number
  vault: Address
  amount: bigint
  maxShares: bigint
  owner: Address
}): Transaction => ({
  to: ask.vault,
  data: encodeFunctionData({
    abi: limitedWithdrawal,
    functionName: 'withdraw',
    args: [ask.amount, ask.owner, ask.owner, ask.maxShares],
  }),
  value: 0n,
  chainId: ask.chainId,
})
