import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ChainClient } from '../chain-client.ts'
import { newestHeight, readHeader } from '../head.ts'
import { quantity } from '../rpc/quantities.ts'
import { confirmationsOf, isInclusionBlock } from './find-mined-transaction.ts'
import { type Disagreement, findDisagreement, type ShownInclusion } from './quorum.ts'

/** The depth that makes a transaction final: a number of blocks, its own included, or the chain's own tag. */
export type FinalityDepth = number | 'safe' | 'finalized'

/** Whether a block is deep enough, and in words: `depth 3`, `finalized`. `missing` is the number of blocks still needed. */
export type DepthCheck = { deep: boolean; reached: string; missing: number }

/**
 * The number of the block that a chain tags as safe or finalized; `undefined` if it has no such tag, or the tag stays at genesis.
 */
async function taggedBlock(rpc: ChainClient, tag: 'safe' | 'finalized'): Promise<number | undefined> {
  try {
    const block = await readHeader(rpc, tag)
    const number = block?.number === undefined ? 0 : Number(quantity(block.number, `the ${tag} block`))
    return number === 0 ? undefined : number
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  }
}

/**
 * Measures the depth of a block. A chain without the requested tag is measured by `usual` blocks instead, and `reached` says so.
 */
export async function confirmationDepth(
  rpc: ChainClient,
  blockNumber: number,
  wanted: FinalityDepth,
  usual: number,
  head?: number,
): Promise<DepthCheck> {
  if (typeof wanted === 'string') {
    const tagged = await taggedBlock(rpc, wanted)
    if (tagged !== undefined) return { deep: tagged >= blockNumber, reached: wanted, missing: 0 }
  }
  const depth = typeof wanted === 'number' ? wanted : usual
  const missing = Math.max(
    0,
    depth - (head === undefined ? await confirmationsOf(rpc, blockNumber) : head - blockNumber + 1),
  )
  const why = typeof wanted === 'string' ? ` (the node knows no ${wanted} block)` : ''
  return { deep: missing === 0, reached: `depth ${depth}${why}`, missing }
}

/** The newest block that is deep enough, measured like `confirmationDepth`. */
export async function latestFinalBlock(
  rpc: ChainClient,
  wanted: FinalityDepth,
  usual: number,
): Promise<number> {
  const tagged = typeof wanted === 'string' ? await taggedBlock(rpc, wanted) : undefined
  const depth = typeof wanted === 'number' ? wanted : usual
  return tagged ?? Math.max(0, (await newestHeight(rpc)) - depth + 1)
}

/** The depth that is needed: `wanted`, or `usual` blocks on a chain without the wanted tag. */
export type RequiredDepth = { wanted: FinalityDepth; usual: number }

/** The depth after which the same action may be signed again: finalized, except on chains where one block is all there is. */
const repeatableDepth = (usual: number): FinalityDepth => (usual <= 1 ? usual : 'finalized')

/**
 * The depth needed for a transaction that is not ours, on a chain with `usual` blocks: the given one, or the depth for signing
 * again.
 */
export const requiredDepth = (usual: number, depth: FinalityDepth | undefined): RequiredDepth => ({
  wanted: depth ?? repeatableDepth(usual),
  usual,
})

/** How far a block is from final; `unlike` is another endpoint that shows something else and prevents it. */
type Finality = DepthCheck & { unlike?: Disagreement }

/**
 * Whether what an endpoint shows in a block is final: it is deep enough there, and no other endpoint that answers within `mostMs`
 * shows anything else (safety.md, row 37). Every final decision about a transaction goes through this, or through its two halves.
 */
export async function checkFinality(
  rpc: ChainClient,
  shown: ShownInclusion,
  required: RequiredDepth,
  mostMs: number,
): Promise<Finality> {
  const { wanted, usual } = required
  const own = await confirmationDepth(rpc, shown.blockNumber, wanted, usual, shown.head)
  if (!own.deep) return own
  const unlike = await findUnlikeNode(rpc, shown, required, mostMs)
  return unlike ? { ...own, deep: false, unlike } : own
}

/** Another endpoint that shows something else in a block, or has it less deep. */
export const findUnlikeNode = (
  rpc: ChainClient,
  shown: ShownInclusion,
  { wanted, usual }: RequiredDepth,
  mostMs: number,
): Promise<Disagreement | undefined> =>
  findDisagreement(
    rpc,
    shown,
    async (node) => (await confirmationDepth(node, shown.blockNumber, wanted, usual)).deep,
    mostMs,
  )

/** The same for a transaction that uses a nonce in block `at`: after a lost nonce the same action may be signed again. */
export async function checkNonceLost(
  rpc: ChainClient,
  { at, hash, by }: { at: number; hash: Hex; by: string },
  usual: number,
  mostMs: number,
): Promise<Pick<Finality, 'deep' | 'unlike'>> {
  const block = await readHeader(rpc, at)
  if (typeof block?.hash !== 'string' || !isInclusionBlock(block, { hash, blockHash: block.hash as Hex }))
    return { deep: false }
  const shown = { blockNumber: at, blockHash: block.hash, by, hash }
  return checkFinality(rpc, shown, requiredDepth(usual, undefined), mostMs)
}
