import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { swaps } from './abi.ts'

/** Swaps an amount of one token for at least `least` of another, at the rate of the PSM. */
export const swapExactIn = (ask: {
  chainId: number
  psm: Address
  from: Address
  to: Address
  amount: bigint
  least: bigint
  owner: Address
}): Transaction =>
  callOf(
    { chainId: ask.chainId, to: ask.psm },
    {
      abi: swaps,
      functionName: 'swapExactIn',
      args: [ask.from, ask.to, ask.amount, ask.least, ask.owner, 0n],
    },
  )
