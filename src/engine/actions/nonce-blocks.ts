import type { Chain } from '../../chain/network-client.ts'
import { nonceCountIn, nonceCountRequest } from '../../chain/nonce-count.ts'
import { isNodeError } from '../../chain/rpc/errors.ts'
import type { SubmittedRow } from '../../store/engine/nonce-transactions-cache.ts'

/** The number of blocks in one exchange. */
const probesPerBatch = 48
/** The number of blocks whose state every node has: nodes without old states usually keep 128. */
const recentBlocks = 100

/** The number of transactions that a wallet had sent at the end of a block. */
type NonceCount = { block: number; count: number }

/**
 * Finds the block in which a wallet used each nonce, by bisecting its transaction count over old states. All of these blocks are above
 * `after`. `undefined` if the node lacks those states, or returns others in their place.
 */
export async function blocksOfNonces(
  { rpc }: Chain,
  wallet: string,
  nonces: readonly number[],
  { after, head, count }: { after: number; head: number; count: number },
): Promise<Map<number, number> | undefined> {
  const countsAt = async (blocks: readonly number[]): Promise<NonceCount[]> => {
    const counts = await rpc.batch(blocks.map((block) => nonceCountRequest(wallet, block)))
    return counts.map((answer, at) => ({ block: blocks[at]!, count: nonceCountIn(answer) }))
  }
  const first = nonces[0]!
  for (const from of new Set([after, Math.max(after, head - recentBlocks)])) {
    try {
      const start = from < 0 ? { block: from, count: first } : (await countsAt([from]))[0]!
      // A node without old states may return the newest state instead.
      if (start.count > first) continue
      const found = await bisect(nonces, start, { block: head, count }, countsAt)
      if (found) return found
    } catch (error) {
      // Nodes without old states use different error messages.
      if (!isNodeError(error)) throw error
    }
  }
  return undefined
}

async function bisect(
  nonces: readonly number[],
  start: NonceCount,
  end: NonceCount,
  countsAt: (blocks: readonly number[]) => Promise<NonceCount[]>,
): Promise<Map<number, number> | undefined> {
  let known = [start, end]
  for (;;) {
    // A node that lags behind another returns lower counts, but never lower than those of earlier blocks.
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

/** Blocks between two others, evenly spaced. */
function spreadBlocks(low: number, high: number, limits: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / (limits + 1)))
  const blocks: number[] = []
  for (let at = low + step; at < high; at += step) blocks.push(at)
  return blocks
}

/** The known transactions of a wallet, from `fromNonce` and `fromBlock` to its count at the newest block. */
export type NonceRange = {
  rows: ReadonlyMap<number, SubmittedRow>
  fromNonce: number
  fromBlock: number
  count: number
  head: number
}

/**
 * The blocks to read next, in order: either the block of each nonce, by old states, or consecutive blocks from the end of the last search.
 * `unused` are nonces used without a transaction of the wallet (EIP-7702).
 */
export type BlocksToRead = {
  numbers: number[]
  blockOfNonce?: ReadonlyMap<number, number>
  unused: Set<number>
}

/** Chooses the blocks to read next, up to a limit: one block a nonce, or consecutive blocks. */
export async function nextBlocks(
  chain: Chain,
  wallet: string,
  range: NonceRange,
  limits: { nonces: number; blocks: number },
): Promise<BlocksToRead> {
  const { rows, head, count } = range
  const open = openNonces(range)
  const searched = [
    ...open.filter((nonce) => !rows.has(nonce)).slice(0, limits.nonces),
    ...open.filter((nonce) => rows.has(nonce)),
  ]
    .slice(0, limits.nonces)
    .sort((a, b) => a - b)
  if (searched.length === 0) return { numbers: [], unused: new Set() }
  const after = lowestBlock(range, searched[0]!) - 1
  const blockOfNonce = await blocksOfNonces(chain, wallet, searched, { after, head, count })
  if (blockOfNonce) {
    const isRead = ([nonce, block]: readonly [number, number]) => (rows.get(nonce)?.block ?? -1) >= block
    const unused = new Set([...blockOfNonce].filter(isRead).map(([nonce]) => nonce))
    const numbers = [...blockOfNonce].filter((one) => !isRead(one)).map(([, block]) => block)
    return { numbers: [...new Set(numbers)].sort((a, b) => a - b), blockOfNonce, unused }
  }
  const unused = new Set<number>()
  for (const nonce of open) {
    const { low, high } = blockSpan(range, nonce)
    if (low <= high) return { numbers: blockNumbers(low, Math.min(high, low + limits.blocks - 1)), unused }
    unused.add(nonce)
  }
  return { numbers: [], unused }
}

/** The nonces whose transaction is unknown, oldest first. */
export const openNonces = ({
  rows,
  fromNonce,
  count,
}: Pick<NonceRange, 'rows' | 'fromNonce' | 'count'>): number[] =>
  Array.from({ length: count - fromNonce }, (_, at) => fromNonce + at).filter(
    (nonce) => !rows.get(nonce)?.hash,
  )

/** The first and last block that may contain a nonce; the last is below the first if no block may. */
export function blockSpan(range: NonceRange, nonce: number): { low: number; high: number } {
  const { rows, head } = range
  return {
    low: Math.max(lowestBlock(range, nonce), (rows.get(nonce)?.block ?? -1) + 1),
    high: Math.min(head, rows.get(nextFoundNonce(range, nonce))?.block ?? head),
  }
}

/** The first block that may contain a nonce, regardless of earlier searches. */
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
