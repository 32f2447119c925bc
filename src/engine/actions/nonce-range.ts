import type { Chain } from '../../chain/chain.ts'
import type { SubmittedRow } from '../../store/engine/submitted-transactions.ts'
import { blocksOfNonces } from './nonce-blocks.ts'

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
