import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../../protocols/shared/contract-call.ts'
import { preSignatureAbi as abi } from './abi.ts'

/** Encodes the pre-signature of an order at the settlement of a chain. */
export const preSign = ({
  chainId,
  settlement,
  uid,
}: {
  chainId: number
  settlement: Address
  uid: Hex
}): Transaction =>
  callOf(
    { chainId, to: settlement },
    { abi, functionName: 'setPreSignature', args: [uid.toLowerCase() as Hex, true] },
  )
