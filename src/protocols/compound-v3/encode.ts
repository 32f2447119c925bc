import { encodeFunctionData } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { named, short } from './abi.ts'

type Call = { chainId: number; comet: Address; asset: Address; amount: bigint; owner: Address }

const call =
  (functionName: 'supplyFrom' | 'withdrawFrom') =>
  ({ chainId, comet, asset, amount, owner }: Call): Transaction =>
    callOf({ chainId, to: comet }, { abi: named, functionName, args: [owner, owner, asset, amount] })

/** Supplies the base asset of its owner to the owner's account, by the call that Compound's own SDK makes. A debt is repaid first. */
export const supplyBase = call('supplyFrom')

/** Withdraws the base asset to its owner; 2^256 - 1 is everything. A larger amount than the balance would be borrowed: never ask for it. */
export const withdrawBase = call('withdrawFrom')

/**
 * The short form of calldata that names the same account twice, so that both forms of one call can be compared. Other calldata is returned
 * unchanged.
 */
export function inShort(data: Transaction['data']): Transaction['data'] {
  const long = strictDecode(named, data)
  if (!long) return data
  const [from, to, asset, amount] = long.args
  const functionName = long.functionName === 'supplyFrom' ? 'supply' : 'withdraw'
  return sameAddress(from, to)
    ? encodeFunctionData({ abi: short, functionName, args: [asset, amount] })
    : data
}
