import { encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { entranceOf, exits, mintByRouter, mintCoin, mintToken } from './abi.ts'
import type { CompoundV2Constants } from './constants-schema.ts'

type Place = { chainId: number } & Pick<CompoundV2Constants, 'market' | 'coin'>

/** Deposits `amount` into a market; the receipt goes to `receiver`, who is the sender. A market may refuse by its return value alone. */
export function mint({
  chainId,
  market,
  coin,
  amount,
  receiver,
}: Place & { amount: bigint; receiver: Address }): Transaction {
  const data =
    coin === undefined
      ? encodeFunctionData({ abi: mintToken, functionName: 'mint', args: [amount] })
      : coin === 'market'
        ? encodeFunctionData({ abi: mintCoin, functionName: 'mint' })
        : encodeFunctionData({ abi: mintByRouter, functionName: 'mint', args: [receiver] })
  return { to: entranceOf({ market, coin }), data, value: coin === undefined ? 0n : amount, chainId }
}

const leave =
  (functionName: 'redeem' | 'redeemUnderlying') =>
  ({ chainId, market, amount }: { chainId: number; market: Address; amount: bigint }): Transaction =>
    callOf({ chainId, to: market }, { abi: exits, functionName, args: [amount] })

/** Redeems exactly so many units of the receipt: the call that leaves no rest. */
export const redeem = leave('redeem')

/** Withdraws exactly so much of the asset. */
export const redeemUnderlying = leave('redeemUnderlying')
