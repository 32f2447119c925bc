import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem/utils'
import type { ChainClient } from '../chain/chain-client.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'

type Receipt = { status: Hex } | null

/** Waits until a transaction is mined and returns its receipt; for sandbox nodes, which mine at once. */
export async function receiptOf(rpc: ChainClient, hash: unknown): Promise<NonNullable<Receipt>> {
  for (let tries = 0; tries < 2000; tries++) {
    const receipt = await rpc.request<Receipt>('eth_getTransactionReceipt', [hash])
    if (receipt) return receipt
    await sleep(5)
  }
  throw new Error(`transaction ${String(hash)} was not mined`)
}

/** Sends a transaction of an unlocked account and waits until it is mined; `isDone` says whether it succeeded. */
export async function sendMined(
  rpc: ChainClient,
  from: Address,
  { to, data, value = 0n }: Pick<Transaction, 'to' | 'data'> & { value?: bigint },
  gas = 200_000,
): Promise<{ hash: Hex; isDone: boolean }> {
  const tx = { from, to, data, value: numberToHex(value), gas: numberToHex(gas) }
  const hash = await rpc.request<Hex>('eth_sendTransaction', [tx])
  return { hash, isDone: (await receiptOf(rpc, hash)).status === '0x1' }
}
