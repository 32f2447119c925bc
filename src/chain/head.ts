import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'
import type { ChainClient } from './chain-client.ts'
import { type Node, type NodeRequest, sendTo } from './eth-call.ts'
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

/** A block as a node returns it, with the hashes of its transactions; its numbers are quantities, which the client has checked. */
export type Header<transaction = string> = {
  number?: Hex | null
  hash?: Hex | null
  parentHash?: Hex
  timestamp?: Hex
  baseFeePerGas?: Hex
  miner?: Hex
  transactions?: transaction[]
}

/** Which block: a height, a tag, or a height as a node gave it. */
type BlockAt = bigint | number | string

/** The request of a block, for a batch with other requests; with its transactions in full if `isWhole`. */
export const headerRequest = (at: BlockAt, isWhole = false): NodeRequest => [
  'eth_getBlockByNumber',
  [typeof at === 'string' ? at : hexQuantity(at), isWhole],
]

/** Reads a block; `null` if the node has none. */
export const readHeader = (node: Node, at: BlockAt): Promise<Header | null> => sendTo(node, headerRequest(at))

/** Reads several blocks in one exchange, each `null` if the node has none. */
export const readHeaders = async (rpc: ChainClient, all: readonly BlockAt[]): Promise<(Header | null)[]> =>
  (await rpc.batch(all.map((at) => headerRequest(at)))) as (Header | null)[]

/** Reads a block with its transactions in full; `null` if the node has none. */
export const readBlock = <transaction>(node: Node, at: BlockAt): Promise<Header<transaction> | null> =>
  sendTo(node, headerRequest(at, true))

/** Reads several blocks with their transactions in one exchange, each `null` if the node has none. */
export const readBlocks = async <transaction>(
  rpc: ChainClient,
  all: readonly BlockAt[],
): Promise<(Header<transaction> | null)[]> =>
  (await rpc.batch(all.map((at) => headerRequest(at, true)))) as (Header<transaction> | null)[]

/** The time of a block in Unix seconds; RPC_INCONSISTENT names `what` if the node has no block or gives no time. */
export const timeOf = (block: Header | null | undefined, what = 'the time of a block'): number =>
  Number(quantity(block?.timestamp, what))

const field = (block: unknown, name: string): unknown =>
  typeof block === 'object' && block !== null ? (block as Record<string, unknown>)[name] : undefined

/** Reads the newest block after checking that the node is on the right chain. */
export async function readHead(rpc: ChainClient, chainId: number): Promise<Head> {
  const [id, block] = await rpc.batch([['eth_chainId', []], headerRequest('latest')])
  const found = quantity(id, 'the chain id')
  if (found !== BigInt(chainId))
    throw new AppError('CHAIN_ID_MISMATCH', `The node at ${rpc.host} is on chain ${found}, not ${chainId}`, {
      details: { host: rpc.host, expected: chainId, found: found.toString() },
    })
  return headOf(rpc, block, 'newest block')
}

/** Reads a block by height; `undefined` if the node has none. */
export async function headAt(rpc: ChainClient, number: bigint): Promise<Head | undefined> {
  const block = await readHeader(rpc, number)
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
  let block = await readHeader(rpc, number)
  for (const pause of retryDelays) {
    if (block) break
    await wait(pause)
    block = await readHeader(rpc, number)
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
  const [latest, pending] = await readHeaders(rpc, ['latest', 'pending'])
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
  const [block] = await Promise.all([readHeader(rpc, 'latest'), rpc.refresh()])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} knows no latest block`, {
      details: { host: rpc.host, network: network.name },
    })
  const number = quantity(block.number, 'the block number')
  return { number, hash: String(block.hash), timestamp: timeOf(block) }
}

/** The height of the newest block. */
export const newestHeight = async (rpc: ChainClient): Promise<number> =>
  Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
