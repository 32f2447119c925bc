import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { writes } from './abi.ts'

/** Supplies `amount` of `asset`; the aTokens go to `onBehalfOf`. */
export const supply = (call: {
  chainId: number
  pool: Address
  asset: Address
  amount: bigint
  onBehalfOf: Address
}): Transaction =>
  callOf(
    { chainId: call.chainId, to: call.pool },
    { abi: writes, functionName: 'supply', args: [call.asset, call.amount, call.onBehalfOf, 0] },
  )

/** Withdraws `amount` of `asset` to `to`; 2^256 - 1 is the whole position, interest of this very block included. */
export const withdraw = (call: {
  chainId: number
  pool: Address
  asset: Address
  amount: bigint
  to: Address
}): Transaction =>
  callOf(
    { chainId: call.chainId, to: call.pool },
    { abi: writes, functionName: 'withdraw', args: [call.asset, call.amount, call.to] },
  )
