import { encodeFunctionData } from 'viem/utils'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { depositoryAbi as abi } from './abi.ts'
import { type RelayDeposit, type RelayTerms, withTerms } from './order.ts'

/** Encodes the deposit for an order at a chain's depository, followed by the order's terms. */
export function depositRelay({
  chainId,
  depository,
  terms,
  ...deposit
}: RelayDeposit & { chainId: number; depository: Address; terms: RelayTerms }): Transaction {
  const { depositor, token, amount, id } = deposit
  const isCoin = sameAddress(token, nativeAddress)
  const call = isCoin
    ? encodeFunctionData({ abi, functionName: 'depositNative', args: [depositor, id] })
    : encodeFunctionData({ abi, functionName: 'depositErc20', args: [depositor, token, amount, id] })
  return { to: depository, data: withTerms(call, terms), value: isCoin ? amount : 0n, chainId }
}
