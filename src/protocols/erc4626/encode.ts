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

/** Puts `assets` into a vault; the shares go to `receiver`. */
export const deposit = (ask: Vault & { assets: bigint; receiver: Address }): Transaction =>
  call(ask, encodeFunctionData({ abi: writes, functionName: 'deposit', args: [ask.assets, ask.receiver] }))

/** Takes exactly `assets` out of a vault, for as many shares as that costs. */
export const withdraw = (ask: Vault & { assets: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({
      abi: writes,
      functionName: 'withdraw',
      args: [ask.assets, ask.receiver, ask.owner],
    }),
  )

/** Gives exactly `shares` back to a vault, for whatever they are worth: the way to leave nothing behind. */
export const redeem = (ask: Vault & { shares: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({ abi: writes, functionName: 'redeem', args: [ask.shares, ask.receiver, ask.owner] }),
  )
