import { encodeFunctionData } from 'viem/utils'
import type { ChainClient } from '../chain/chain-client.ts'
import { erc20Abi } from '../chain/erc20.ts'
import type { Address, Hex } from '../domain/address.ts'

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
