import { keccak256, stringToBytes } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'

/** A call to search for, with its sender. */
type WantedCall = { wallet: Address; to: string; data: string; value: bigint }

/** A transaction as a node returns it. */
export type RpcTransaction = {
  hash: Hex
  from: Address
  to: Address | null
  input: Hex
  value: Hex
  nonce: Hex
  blockNumber: Hex | null
}

/** A hash of recipient, calldata and value. A contract creation has none. */
export const callHash = ({ to, data, value }: { to: string | null; data: string; value: bigint }): string =>
  to === null ? '' : keccak256(stringToBytes(`${to} ${data} ${value}`.toLowerCase()))

export const makesCall = (tx: RpcTransaction, { wallet, ...call }: WantedCall): boolean =>
  sameAddress(tx.from, wallet) &&
  callHash({ to: tx.to, data: tx.input, value: BigInt(tx.value) }) === callHash(call)
