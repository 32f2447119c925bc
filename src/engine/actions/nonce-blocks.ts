import type { Chain } from '../../chain/chain.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { SubmittedRow } from '../../store/engine/submitted-transactions.ts'

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

/** What is known of a wallet's nonces, from one on and since a block, up to the count that it has at the newest block. */
export type NonceRange = {
  rows: ReadonlyMap<number, SubmittedRow>
  fromNonce: number
  fromBlock: number
  count: number
  head: number
}

/**
 * The blocks to read next, in order. Either each is that of some nonces, by old states, or they are all blocks from where the last look
 * ended. `none` are nonces that were used without a transaction of the wallet (EIP-7702).
 */
export type BlocksToRead = {
  numbers: number[]
  blockOfNonce?: ReadonlyMap<number, number>
  unused: Set<number>
}

/** Says which blocks to read next, no more than so many: one for a nonce, or blocks in a row. */
export async function nextBlocks(
  chain: Chain,
  wallet: string,
  standing: NonceRange,
  most: { nonces: number; blocks: number },
): Promise<BlocksToRead> {
  const { rows, head, count } = standing
  const open = openNonces(standing)
  const few = [
    ...open.filter((nonce) => !rows.has(nonce)).slice(0, most.nonces),
    ...open.filter((nonce) => rows.has(nonce)),
  ]
    .slice(0, most.nonces)
    .sort((a, b) => a - b)
  if (few.length === 0) return { numbers: [], unused: new Set() }
  const after = lowestBlock(standing, few[0]!) - 1
  const blockOfNonce = await blocksOfNonces(chain, wallet, few, { after, head, count })
  if (blockOfNonce) {
    const isRead = ([nonce, block]: readonly [number, number]) => (rows.get(nonce)?.block ?? -1) >= block
    const unused = new Set([...blockOfNonce].filter(isRead).map(([nonce]) => nonce))
    const numbers = [...blockOfNonce].filter((one) => !isRead(one)).map(([, block]) => block)
    return { numbers: [...new Set(numbers)].sort((a, b) => a - b), blockOfNonce, unused }
  }
  const unused = new Set<number>()
  for (const nonce of open) {
    const { low, high } = blockSpan(standing, nonce)
    if (low <= high) return { numbers: blockNumbers(low, Math.min(high, low + most.blocks - 1)), unused }
    unused.add(nonce)
  }
  return { numbers: [], unused }
}

/** The nonces whose transaction is not known, oldest first. */
export const openNonces = ({
  rows,
  fromNonce,
  count,
}: Pick<NonceRange, 'rows' | 'fromNonce' | 'count'>): number[] =>
  Array.from({ length: count - fromNonce }, (_, at) => fromNonce + at).filter(
    (nonce) => !rows.get(nonce)?.hash,
  )

/** The first and the last block that may still have a nonce, by what is known; the last before the first where none may. */
export function blockSpan(standing: NonceRange, nonce: number): { low: number; high: number } {
  const { rows, head } = standing
  return {
    low: Math.max(lowestBlock(standing, nonce), (rows.get(nonce)?.block ?? -1) + 1),
    high: Math.min(head, rows.get(nextFoundNonce(standing, nonce))?.block ?? head),
  }
}

/** The first block that may have a nonce, but for how far it was looked for. */
function lowestBlock({ rows, fromBlock }: NonceRange, nonce: number): number {
  const before = rows.get(nonce - 1)
  return before?.hash ? Math.max(fromBlock, before.block) : fromBlock
}

function nextFoundNonce({ rows, count }: NonceRange, after: number): number {
  for (let nonce = after + 1; nonce < count; nonce++) if (rows.get(nonce)?.hash) return nonce
  return count
}

const blockNumbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)
