import { AppError } from '../domain/errors.ts'
import type { Chain } from './network-client.ts'
import { quantity } from './rpc/quantities.ts'

/** A block number with its time in Unix seconds. */
export type BlockTime = { number: bigint; timestamp: number }

/** How many blocks are read in one exchange. */
const blocksPerProbe = 8n

/** The precision of the search, in seconds. */
const precisionSeconds = 6 * 3_600

/** Finds the newest block, or nearly, at a time, in a few exchanges; `undefined` if the chain is younger. */
export async function blockBefore(
  chain: Chain,
  time: number,
  head: BlockTime,
): Promise<BlockTime | undefined> {
  const backwards = [1_000n, 10_000n, 100_000n, 1_000_000n, 10_000_000n].map((back) => head.number - back)
  const first = await timesOf(chain, [0n, ...backwards.filter((number) => number > 0n).reverse()])
  let known = [...first, head]
  for (let round = 0; round < 8; round++) {
    const low = known.findLast(({ timestamp }) => timestamp <= time)
    if (!low) return undefined
    const high = known.find(({ timestamp }) => timestamp > time)
    if (!high) return low
    const between = high.number - low.number
    if (between <= 1n || high.timestamp - low.timestamp <= precisionSeconds) return low
    const step = between <= blocksPerProbe ? 1n : between / blocksPerProbe
    const numbers: bigint[] = []
    for (let number = low.number + step; number < high.number; number += step) numbers.push(number)
    known = [low, ...(await timesOf(chain, numbers)), high]
  }
  return known.findLast(({ timestamp }) => timestamp <= time)
}

async function timesOf({ rpc }: Chain, numbers: readonly bigint[]): Promise<BlockTime[]> {
  const blocks = (await rpc.batch(
    numbers.map((number) => ['eth_getBlockByNumber', [`0x${number.toString(16)}`, false]] as const),
  )) as ({ timestamp?: unknown } | null)[]
  return blocks.map((block, at) => {
    if (!block) throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} does not know an old block`)
    return { number: numbers[at]!, timestamp: Number(quantity(block.timestamp, 'the time of an old block')) }
  })
}
