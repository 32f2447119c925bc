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

/** Takes exactly so much of the asset out of a vault of Yearn v3, for its owner, at no more than the smallest loss. */
export const withdrawWithLoss = leave('withdraw')

/** Gives exactly so many shares back to a vault of Yearn v3, for whatever they are worth less than the smallest loss. */
export const redeemWithLoss = leave('redeem')
