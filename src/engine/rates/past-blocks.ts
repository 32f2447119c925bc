import { z } from 'zod'

import type { Chain } from '../chain.ts'
import type { PastBlock } from './old-states.ts'

const Block = z.object({
  hash: z.string().regex(/^0x[0-9a-f]{64}$/i),
  timestamp: z
    .string()
    .regex(/^0x[0-9a-f]{1,13}$/i)
    .transform(Number),
})

/**
 * Blocks by number, in one exchange. Those that the node does not know are missing, and so are those that it shows in part, or later than the
 * newest one is, which is at `latest` in Unix seconds.
 */
export async function pastBlocks(
  { rpc }: Chain,
  numbers: readonly bigint[],
  latest = Number.POSITIVE_INFINITY,
): Promise<PastBlock[]> {
  const blocks = await rpc.batch(
    numbers.map((number) => ['eth_getBlockByNumber', [`0x${number.toString(16)}`, false]]),
  )
  return (blocks as unknown[]).flatMap((block, at) => {
    const read = Block.safeParse(block)
    return read.success && read.data.timestamp <= latest ? [{ number: numbers[at]!, ...read.data }] : []
  })
}
