import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, numberToHex } from 'viem/utils'
import type { ChainClient } from '../chain/client.ts'
import { erc20Abi } from '../chain/erc20.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/** A chain of the sandbox, and its node. */
export type SandboxNode = { network: Network; rpc: ChainClient }

/** What a stand-in for a service works with. The nodes have the keys of its accounts. */
export type StandInOptions = {
  catalog: Catalog
  chains: readonly SandboxNode[]
  now: () => number
  /** Whether a chain makes blocks: nothing is sent to one that does not. */
  makesBlocks: (chainId: number) => boolean
}

type Receipt = { status: Hex } | null

/** Waits until a transaction is mined; for sandbox nodes, which mine at once. */
export async function receiptOf(rpc: ChainClient, hash: unknown): Promise<NonNullable<Receipt>> {
  for (let tries = 0; tries < 2000; tries++) {
    const receipt = await rpc.request<Receipt>('eth_getTransactionReceipt', [hash])
    if (receipt) return receipt
    await sleep(5)
  }
  throw new Error(`transaction ${String(hash)} was not mined`)
}

/** Sends a transaction of an account whose key the node has, and waits until it is mined; `isDone` is whether it succeeded. */
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

/** The balance of a token that an account has. */
export async function balanceOf(rpc: ChainClient, token: Address, owner: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return BigInt(await rpc.request<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

/** The time of the newest block, or of the one that is made next, in Unix seconds. */
export async function blockTime(rpc: ChainClient, tag: 'latest' | 'pending'): Promise<number> {
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', [tag, false])
  return Number(timestamp)
}
