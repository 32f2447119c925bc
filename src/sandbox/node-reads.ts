import { encodeFunctionData } from 'viem/utils'
import type { ChainClient } from '../chain/chain-client.ts'
import { erc20Abi } from '../chain/erc20.ts'
import type { Address, Hex } from '../domain/address.ts'

/** Reads an account's balance of a token. */
export async function balanceOf(rpc: ChainClient, token: Address, owner: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return BigInt(await rpc.request<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

/** Reads the time of the newest or of the next block, in Unix seconds. */
export async function blockTime(rpc: ChainClient, tag: 'latest' | 'pending'): Promise<number> {
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', [tag, false])
  return Number(timestamp)
}
