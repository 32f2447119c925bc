import type { Chain } from '../../chain/chain.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'

/** So many blocks are asked about in one exchange. */
const probesPerBatch = 48
/** A node keeps the states of so many blocks, also where it keeps no old ones: most keep 128. */
const recentBlocks = 100

/** How many transactions a wallet had sent at the end of a block. */
type NonceCount = { block: number; count: number }

/**
 * The block in which each of some nonces of a wallet was used, by the states of old blocks: its count changes there. All of them are in
 * blocks above `after` and up to the newest. `undefined` where the node has no such states, or gives other ones in their place.
 */
export async function blocksOfNonces(
  { rpc }: Chain,
  wallet: string,
  nonces: readonly number[],
  { after, head, count }: { after: number; head: number; count: number },
): Promise<Map<number, number> | undefined> {
  const countsAt = async (blocks: readonly number[]): Promise<NonceCount[]> => {
    const counts = (await rpc.batch(
      blocks.map((block) => ['eth_getTransactionCount', [wallet, `0x${block.toString(16)}`]]),
    )) as Hex[]
    return counts.map((said, at) => ({ block: blocks[at]!, count: Number(said) }))
  }
  const first = nonces[0]!
  for (const from of new Set([after, Math.max(after, head - recentBlocks)])) {
    try {
      const begin = from < 0 ? { block: from, count: first } : (await countsAt([from]))[0]!
      // A node without old states may give the newest in their place.
      if (begin.count > first) continue
      const found = await bisect(nonces, begin, { block: head, count }, countsAt)
      if (found) return found
    } catch (error) {
      // Every node says in words of its own that it keeps no old states.
      if (!(error instanceof AppError && error.code === 'RPC_ERROR')) throw error
    }
  }
  return undefined
}

async function bisect(
  nonces: readonly number[],
  begin: NonceCount,
  end: NonceCount,
  countsAt: (blocks: readonly number[]) => Promise<NonceCount[]>,
): Promise<Map<number, number> | undefined> {
  let known = [begin, end]
  for (;;) {
    // Also a node that is behind another one has fewer at a block, but never fewer than before.
    if (known.some(({ count }, at) => at > 0 && count < known[at - 1]!.count)) return undefined
    const between = nonces.map((nonce) => {
      const above = known.findIndex(({ count }) => count > nonce)
      return { nonce, low: known[above - 1]!.block, high: known[above]!.block }
    })
    const open = new Map(between.filter(({ low, high }) => high - low > 1).map((one) => [one.low, one.high]))
    if (open.size === 0) return new Map(between.map(({ nonce, high }) => [nonce, high]))
    const each = Math.max(1, Math.floor(probesPerBatch / open.size))
    const blocks = [...open].flatMap(([low, high]) => spreadBlocks(low, high, each))
    known = [...known, ...(await countsAt(blocks))].sort((a, b) => a.block - b.block)
  }
}

/** Some blocks between two, as evenly as they go. */
function spreadBlocks(low: number, high: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / (most + 1)))
  const blocks: number[] = []
  for (let at = low + step; at < high; at += step) blocks.push(at)
  return blocks
}
