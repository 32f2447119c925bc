import { AppError } from '../domain/errors.ts'
import { type BlockRef, readHeaders } from './head.ts'
import type { Chain } from './network-client.ts'
import { quantity } from './rpc/quantities.ts'

/**
 * The result of a search: the newest block at a time, `undefined` if the chain is younger, and all blocks read for it.
 * `usedKnown` is false if the known blocks did not help or are no longer canonical.
 */
type BlockSearch = { block: BlockRef | undefined; seen: BlockRef[]; usedKnown: boolean }

/** How far behind the newest block a search without known blocks reads first. */
const firstDistances = [10_000_000n, 1_000_000n, 100_000n, 10_000n, 1_000n]

/** Into how many parts an exchange divides the blocks in question. */
const parts = 8n

/** Distances from the estimated block that are read with it: block times are nearly regular. */
const estimateDistances = [0n, 1n, 30n, 900n]

/** The maximum number of exchanges after the first. A chain of 100 million blocks needs nine without estimates. */
const maxExchanges = 12

/**
 * Finds the newest block at or before a time in Unix seconds. It starts at known blocks, which are read again in the first
 * exchange: if one is no longer canonical, the search starts without them. Between two adjacent known blocks it takes one exchange.
 */
export async function blockBefore(
  chain: Chain,
  time: number,
  head: BlockRef,
  known: readonly BlockRef[] = [],
): Promise<BlockSearch> {
  const { low, high } = bracket([...known.filter(({ number }) => number < head.number), head], time)
  const isUsable = high !== undefined && (low !== undefined || high.number === 0n)
  const asked = isUsable ? [low, high].filter((one) => one && one !== head).map((one) => one!) : []
  const first = isUsable
    ? [...asked.map(({ number }) => number), ...(low ? between(low, high, time) : [])]
    : [0n, ...firstDistances.map((back) => head.number - back)]
  let seen = [...(await blocksAt(chain, ascending(first, head))), head]
  if (asked.some(({ number, hash }) => seen.find((one) => one.number === number)?.hash !== hash))
    return blockBefore(chain, time, head)
  for (let exchange = 0; exchange < maxExchanges; exchange++) {
    const now = bracket(seen, time)
    if (!now.low || !now.high) return { block: now.low, seen, usedKnown: isUsable }
    const numbers = between(now.low, now.high, time)
    if (numbers.length === 0) return { block: now.low, seen, usedKnown: isUsable }
    seen = [...seen, ...(await blocksAt(chain, ascending(numbers, head)))]
  }
  return { block: bracket(seen, time).low, seen, usedKnown: isUsable }
}

/** The last block at or before a time and the first one after it, as far as they are among some blocks. */
function bracket(blocks: readonly BlockRef[], time: number): { low?: BlockRef; high?: BlockRef } {
  const sorted = blocks.toSorted((a, b) => Number(a.number - b.number))
  const low = sorted.findLast(({ timestamp }) => timestamp <= time)
  const high = sorted.find(({ timestamp }) => timestamp > time)
  return { ...(low && { low }), ...(high && { high }) }
}

/** The blocks to read between two blocks: around the estimated block, and at regular distances. */
function between(low: BlockRef, high: BlockRef, time: number): bigint[] {
  const count = high.number - low.number
  const share = (time - low.timestamp) / (high.timestamp - low.timestamp)
  const estimate = low.number + BigInt(Math.floor(Number(count) * share))
  const step = count / parts || 1n
  const regular = Array.from({ length: Number(parts) }, (_, at) => low.number + step * BigInt(at + 1))
  const near = estimateDistances.flatMap((distance) => [estimate - distance, estimate + distance])
  return [...regular, ...near].filter((number) => number > low.number && number < high.number)
}

/** Each number once and in order, without those that are not before the newest block. */
const ascending = (numbers: readonly bigint[], head: BlockRef): bigint[] =>
  [...new Set(numbers)].filter((one) => one >= 0n && one < head.number).sort((a, b) => Number(a - b))

async function blocksAt({ rpc }: Chain, numbers: readonly bigint[]): Promise<BlockRef[]> {
  if (numbers.length === 0) return []
  const blocks = await readHeaders(rpc, numbers)
  return blocks.map((block, at) => {
    if (typeof block?.hash !== 'string')
      throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} does not know an old block`)
    const timestamp = Number(quantity(block.timestamp, 'the time of an old block'))
    return { number: numbers[at]!, hash: block.hash, timestamp }
  })
}
