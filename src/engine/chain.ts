import { type Client, createClient, custom } from 'viem'
import { multicall } from 'viem/actions'

import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Reading } from './reading.ts'

/** A chain that the engine reads: its network, the strict JSON-RPC under it, and viem's client over that. */
export type Chain = { network: Network; rpc: Rpc; client: Client }

/** Opens a chain for reading. Nothing is asked before the first read. */
export function openChain(network: Network, rpc: Rpc): Chain {
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    rpc.request(method, (params ?? []) as unknown[])
  const client = createClient({
    chain: {
      id: network.chainId,
      name: network.name,
      nativeCurrency: { ...network.native, name: network.native.symbol },
      rpcUrls: { default: { http: [] } },
    },
    transport: custom({ request }, { retryCount: 0 }),
    cacheTime: 0,
  })
  return { network, rpc, client }
}

/** What a block is known by where several reads must agree. */
export type BlockRef = { number: bigint; hash: string; timestamp: number }

/** Reads everything in one call, at the latest block or the one given. What a contract refuses is `undefined`; a chain that does not answer throws. */
export async function read<value>(
  chain: Chain,
  { reads, parse }: Reading<value>,
  blockNumber?: bigint,
): Promise<value> {
  if (reads.length === 0) return parse([])
  const results = await multicall(chain.client, {
    contracts: reads as never,
    deployless: true,
    batchSize: 0,
    allowFailure: true,
    ...(blockNumber !== undefined && { blockNumber }),
  })
  const answers = (results as { status: string; result?: unknown; error?: unknown }[]).map(
    ({ status, result, error }) => {
      if (status === 'success') return result
      const fault = faultOf(error)
      if (fault) throw fault
      return undefined
    },
  )
  return parse(answers)
}

/** The transport fault at the bottom of an error of viem, if it is one; a contract's refusal is none. */
export function faultOf(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}

/** The newest block. */
export async function headOf({ rpc }: Chain): Promise<BlockRef> {
  const block = await rpc.request<{ number: string; hash: string; timestamp: string } | null>(
    'eth_getBlockByNumber',
    ['latest', false],
  )
  if (!block) throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} knows no latest block`)
  return { number: BigInt(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

/**
 * The time that the next block will have, in Unix seconds: at least ours. A chain can be ahead of us (its clock was
 * moved, or ours is late), and a deadline in calldata is measured by its clock.
 */
export async function chainTime({ rpc }: Chain, nowMs: number): Promise<number> {
  const [latest, pending] = await Promise.all(
    ['latest', 'pending'].map((tag) =>
      rpc.request<{ timestamp: string } | null>('eth_getBlockByNumber', [tag, false]),
    ),
  )
  return Math.max(Math.floor(nowMs / 1000), Number(latest?.timestamp ?? 0), Number(pending?.timestamp ?? 0))
}

/** How much gas a transaction may use: what the node estimates, and a quarter. `null` where it would not go through now. */
export async function gasLimitOf(
  { rpc }: Chain,
  from: Address,
  { to, data, value }: Transaction,
): Promise<bigint | null> {
  try {
    const tx = { from, to, data, value: `0x${value.toString(16)}` }
    return (BigInt(await rpc.request<Hex>('eth_estimateGas', [tx])) * 5n) / 4n
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return null
    throw error
  }
}
