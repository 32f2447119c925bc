import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { readHeader, timeOf } from './head.ts'
import { hexQuantity, quantity } from './rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from './rpc/timeouts.ts'

/** The largest difference between the clocks of two chains, in ms. */
export const maxClockDifferenceMs = 3_600_000

/**
 * How many blocks one log query covers: first this many, doubled each time up to what the node accepts. A node that refuses `least`
 * serves no logs.
 */
const logRangeSizes = { first: 5_000, most: 100_000, least: 500 }
/** The most log queries to one node. */
const maxLogQueries = 40

type Filter = { address: Address; topics: readonly (Hex | null)[] }
type Log = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/**
 * Finds the newest log that matches a filter, in ranges from the newest block back to a block older than `since` (Unix s);
 * `matches` looks at its data. `undefined` if there is none; throws if the node serves no logs.
 */
export async function findLatestLog(
  rpc: ChainClient,
  filter: Filter,
  since: number,
  sizes = logRangeSizes,
  matches: (log: Log) => boolean = () => true,
): Promise<{ transactionHash: Hex } | undefined> {
  let found: Log | undefined
  await readLogsBack(
    rpc,
    filter,
    since,
    (log) => {
      if (matches(log)) found = log
      return found !== undefined
    },
    sizes,
  )
  return found
}

/**
 * Reads the logs that match a filter, the newest first, back to a block older than `since` (Unix s), or until `isEnough`. Whether it came
 * that far: a node that answers for few blocks at once is not asked for ever. Throws if the node serves no logs.
 */
export async function readLogsBack(
  rpc: ChainClient,
  filter: Filter,
  since: number,
  isEnough: (log: Log) => boolean,
  sizes = logRangeSizes,
): Promise<boolean> {
  let to = Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
  let { first: size, most } = sizes
  for (let piece = 0; piece < maxLogQueries; piece++) {
    const from = Math.max(0, to - size + 1)
    const [fromBlock, toBlock] = [hexQuantity(from), hexQuantity(to)]
    try {
      const logs = await rpc.request<Log[]>('eth_getLogs', [{ ...filter, fromBlock, toBlock }])
      if (logs.findLast(isEnough)) return true
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RPC_ERROR' || size <= sizes.least) throw error
      most = size = Math.max(sizes.least, Math.floor(size / 4))
      continue
    }
    const block = await readHeader(rpc, fromBlock)
    if (from === 0 || timeOf(block) < since) return true
    to = from - 1
    size = Math.min(2 * size, most)
  }
  return false
}

/** The time of a block in epoch ms; `undefined` if the chain does not answer. */
export const blockTime = (rpc: ChainClient, blockNumber: number): Promise<number | undefined> =>
  timeOfBlock(rpc, hexQuantity(blockNumber))

/**
 * The present by the clock of a chain, in epoch ms: that of its newest block, and at least `now`, this machine's, because a chain may be
 * idle and may not answer.
 */
export const chainTime = async (rpc: ChainClient, now: number): Promise<number> =>
  Math.max(now, (await timeOfBlock(rpc, 'latest')) ?? 0)

async function timeOfBlock(rpc: ChainClient, block: string): Promise<number | undefined> {
  const asked = readHeader(rpc, block)
  const { timestamp } = (await undefinedIfUnanswered(withTimeout(asked))) ?? {}
  return timestamp === undefined ? undefined : 1_000 * Number(timestamp)
}
