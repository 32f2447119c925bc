import { encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { exits } from './abi.ts'

const begin =
  (functionName: 'cooldownAssets' | 'cooldownShares') =>
  ({ chainId, vault, amount }: { chainId: number; vault: Address; amount: bigint }): Transaction => ({
    to: vault,
    data: encodeFunctionData({ abi: exits, functionName, args: [amount] }),
    value: 0n,
    chainId,
  })

/** Begins the cooldown of exactly so much of the asset. */
export const cooldownAssets = begin('cooldownAssets')

/** Begins the cooldown of exactly so many shares. */
export const cooldownShares = begin('cooldownShares')
