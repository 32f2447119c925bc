import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'
import type { ChainClient } from './chain-client.ts'
import { hexQuantity, parseFee, quantity } from './rpc/quantities.ts'
import { retryDelays } from './rpc/retry-unknown-block.ts'

/** The newest block of a chain. `timestamp` is in Unix seconds. */
export type Head = {
  number: bigint
  hash: `0x${string}`
  timestamp: number
  baseFee: bigint
  /** The block producer, if the node names it. */
  miner?: `0x${string}`
}

const field = (block: unknown, name: string): unknown =>
  typeof block === 'object' && block !== null ? (block as Record<string, unknown>)[name] : undefined

/** Reads the newest block after checking that the node is on the right chain. */
export async function readHead(rpc: ChainClient, chainId: number): Promise<Head> {
  const [id, block] = await rpc.batch([
    ['eth_chainId', []],
    ['eth_getBlockByNumber', ['latest', false]],
  ])
  const found = quantity(id, 'the chain id')
  if (found !== BigInt(chainId))
    throw new AppError('CHAIN_ID_MISMATCH', `The node at ${rpc.host} is on chain ${found}, not ${chainId}`, {
      details: { host: rpc.host, expected: chainId, found: found.toString() },
    })
  return headOf(rpc, block, 'newest block')
}

/** Reads a block by height; `undefined` if the node has none. */
export async function headAt(rpc: ChainClient, number: bigint): Promise<Head | undefined> {
  const block = await rpc.request('eth_getBlockByNumber', [hexQuantity(number), false])
  return block === null ? undefined : headOf(rpc, block, `block ${number}`)
}

function headOf({ host }: ChainClient, block: unknown, which: string): Head {
  const hash = field(block, 'hash')
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new AppError('RPC_INCONSISTENT', `The node at ${host} has no ${which}`)
  const miner = field(block, 'miner')
  return {
    ...(typeof miner === 'string' && /^0x[0-9a-f]{40}$/i.test(miner) && { miner: miner as `0x${string}` }),
    number: quantity(field(block, 'number'), 'the block number'),
    hash: hash.toLowerCase() as `0x${string}`,
    timestamp: Number(quantity(field(block, 'timestamp'), 'the block time')),
    baseFee: parseFee(field(block, 'baseFeePerGas'), 'the base fee'),
  }
}

/** The hash of a block that the node named; retried shortly if a node behind the same address does not have it yet. */
export async function blockHashAt(rpc: ChainClient, number: bigint): Promise<string | undefined> {
  const read = () =>
    rpc.request<{ hash?: string } | null>('eth_getBlockByNumber', [hexQuantity(number), false])
  let block = await read()
  for (const pause of retryDelays) {
    if (block) break
    await wait(pause)
    block = await read()
  }
  return block?.hash?.toLowerCase()
}

/** How far a node may fall behind a recorded block, in blocks. */
export const maxHeadRegression = 3

/**
 * How far a chain's clock is ahead of ours, in seconds; deadlines in calldata use its clock. A minute is ignored, since the next
 * block is always ahead; more means that a clock was moved.
 */
export async function clockAheadSeconds({ rpc }: { rpc: ChainClient }, nowMs: number): Promise<number> {
  const [latest, pending] = (await rpc.batch(
    ['latest', 'pending'].map((tag) => ['eth_getBlockByNumber', [tag, false]]),
  )) as ({ timestamp: string } | null)[]
  const time = Math.max(Number(latest?.timestamp ?? 0), Number(pending?.timestamp ?? 0))
  const ahead = time - Math.floor(nowMs / 1000)
  return ahead > 60 ? ahead : 0
}

/** A block reference, so that several reads use the same block. */
export type BlockRef = { number: bigint; hash: string; timestamp: number }

/** The newest block, from a node that is not behind. */
export async function latestBlock({
  rpc,
  network,
}: {
  rpc: ChainClient & { refresh: () => Promise<void> }
  network: { name: string }
}): Promise<BlockRef> {
  const [block] = await Promise.all([
    rpc.request<{ number: string; hash: string; timestamp: string } | null>('eth_getBlockByNumber', [
      'latest',
      false,
    ]),
    rpc.refresh(),
  ])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} knows no latest block`, {
      details: { host: rpc.host, network: network.name },
    })
  return { number: BigInt(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

/** The height of the newest block. */
export const newestHeight = async (rpc: ChainClient): Promise<number> =>
  Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
