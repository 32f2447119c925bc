import { encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { writes } from './abi.ts'

type Vault = { chainId: number; vault: Address }

const call = ({ chainId, vault }: Vault, data: `0x${string}`): Transaction => ({
  to: vault,
  data,
  value: 0n,
  chainId,
})

/** Deposits `assets` into a vault; the shares go to `receiver`. */
export const deposit = (ask: Vault & { assets: bigint; receiver: Address }): Transaction =>
  call(ask, encodeFunctionData({ abi: writes, functionName: 'deposit', args: [ask.assets, ask.receiver] }))

/** Withdraws exactly `assets` from a vault, for as many shares as they cost. */
export const withdraw = (ask: Vault & { assets: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({
      abi: writes,
      functionName: 'withdraw',
      args: [ask.assets, ask.receiver, ask.owner],
    }),
  )

/** Redeems exactly `shares` of a vault: the call that leaves no rest. */
export const redeem = (ask: Vault & { shares: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({ abi: writes, functionName: 'redeem', args: [ask.shares, ask.receiver, ask.owner] }),
  )
