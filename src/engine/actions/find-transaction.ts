import { keccak256, stringToBytes } from 'viem/utils'
import type { Chain } from '../../chain/chain.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'

/** A transaction that is looked for: whose, and with which call. */
type WantedCall = { wallet: Address; to: string; data: string; value: bigint }

/** A transaction that was found, as the node gives it. */
export type RpcTransaction = {
  hash: Hex
  from: Address
  to: Address | null
  input: Hex
  value: Hex
  nonce: Hex
  blockNumber: Hex | null
}

/** How many transactions of a wallet are in blocks, and which block is the newest. */
export type WalletProgress = { count: number; head: number }

/** Asks how far a wallet is on a chain. */
export async function readWalletProgress({ rpc }: Chain, wallet: Address): Promise<WalletProgress> {
  const [count, head] = (await rpc.batch([
    ['eth_getTransactionCount', [wallet, 'latest']],
    ['eth_blockNumber', []],
  ])) as [Hex, Hex]
  return { count: Number(count), head: Number(head) }
}

/** A call in few letters: to whom, what, and with how much. What makes a contract is none. */
export const callHash = ({ to, data, value }: { to: string | null; data: string; value: bigint }): string =>
  to === null ? '' : keccak256(stringToBytes(`${to} ${data} ${value}`.toLowerCase()))

/** Whether a transaction makes the wanted call. */
export const makesCall = (tx: RpcTransaction, { wallet, ...call }: WantedCall): boolean =>
  sameAddress(tx.from, wallet) &&
  callHash({ to: tx.to, data: tx.input, value: BigInt(tx.value) }) === callHash(call)
