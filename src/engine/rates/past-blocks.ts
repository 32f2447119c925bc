import type { Chain } from '../chain.ts'
import type { PastBlock } from './old-states.ts'

/** Blocks by number, in one exchange; those that the node does not know are missing. */
export async function pastBlocks({ rpc }: Chain, numbers: readonly bigint[]): Promise<PastBlock[]> {
  const blocks = (await rpc.batch(
    numbers.map((number) => ['eth_getBlockByNumber', [`0x${number.toString(16)}`, false]]),
  )) as ({ hash: string; timestamp: string } | null)[]
  return blocks.flatMap((block, at) =>
    block ? [{ number: numbers[at]!, hash: block.hash, timestamp: Number(block.timestamp) }] : [],
  )
}
