import { blockNumber as newestBlock } from '../../chain/reads.ts'
import { hexQuantity, quantity } from '../../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { FinalityDepth } from '../run.ts'
import { type Block, confirmationsOf, isInclusionBlock } from './find-transaction.ts'
import { type Disagreement, findDisagreement, type ShownInclusion } from './quorum.ts'

/** Whether a block lies deep enough, and in which words that can be said: `depth 3`, `finalized`. `missing` blocks make it so. */
type HowDeep = { deep: boolean; reached: string; missing: number }

/** The number of the block that a chain calls safe or finalized; `undefined` where it has no such thing, or it stands still at the beginning. */
async function taggedBlock(rpc: Rpc, tag: 'safe' | 'finalized'): Promise<number | undefined> {
  try {
    const block = await rpc.request<{ number?: string } | null>('eth_getBlockByNumber', [tag, false])
    const number = block?.number === undefined ? 0 : Number(quantity(block.number, `the ${tag} block`))
    return number === 0 ? undefined : number
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  }
}

/** How deep a block lies. A chain without the tag that was asked for is measured by `usual` blocks instead, and the words say so. */
export async function confirmationDepth(
  rpc: Rpc,
  blockNumber: number,
  wanted: FinalityDepth,
  usual: number,
): Promise<HowDeep> {
  if (typeof wanted === 'string') {
    const tagged = await taggedBlock(rpc, wanted)
    if (tagged !== undefined) return { deep: tagged >= blockNumber, reached: wanted, missing: 0 }
  }
  const depth = typeof wanted === 'number' ? wanted : usual
  const missing = Math.max(0, depth - (await confirmationsOf(rpc, blockNumber)))
  const why = typeof wanted === 'string' ? ` (the node knows no ${wanted} block)` : ''
  return { deep: missing === 0, reached: `depth ${depth}${why}`, missing }
}

/** The newest block that lies deep enough, measured like `howDeep`. */
export async function latestFinalBlock(rpc: Rpc, wanted: FinalityDepth, usual: number): Promise<number> {
  const tagged = typeof wanted === 'string' ? await taggedBlock(rpc, wanted) : undefined
  const depth = typeof wanted === 'number' ? wanted : usual
  return tagged ?? Math.max(0, (await newestBlock(rpc)) - depth + 1)
}

/** How deep something must lie: `wanted`, and `usual` blocks where the chain does not know what is wanted. */
export type RequiredDepth = { wanted: FinalityDepth; usual: number }

/** How deep something must lie after which the same may be signed again: more than a block or two must lie on it, but where a chain has no more. */
const forGood = (usual: number): FinalityDepth => (usual <= 1 ? usual : 'finalized')

/** How deep what is not ours must lie on a chain where so many blocks are usual: as was said, or so that the same may be signed again. */
export const requiredDepth = (usual: number, depth: FinalityDepth | undefined): RequiredDepth => ({
  wanted: depth ?? forGood(usual),
  usual,
})

/** How far something in a block is from being final; `unlike` is what another endpoint shows instead, and keeps it from being so. */
type Finality = HowDeep & { unlike?: Disagreement }

/**
 * Whether what an endpoint shows in a block is final: it lies deep enough there, and no other endpoint that answers within so many ms
 * shows anything else (safety.md, row 37). Whoever decides for good what became of a transaction asks this.
 */
export async function checkFinality(
  rpc: Rpc,
  shown: ShownInclusion,
  { wanted, usual }: RequiredDepth,
  mostMs: number,
): Promise<Finality> {
  const lies = (node: Rpc) => confirmationDepth(node, shown.blockNumber, wanted, usual)
  const own = await lies(rpc)
  if (!own.deep) return own
  const unlike = await findDisagreement(rpc, shown, async (node) => (await lies(node)).deep, mostMs)
  return unlike ? { ...own, deep: false, unlike } : own
}

/** The same of the transaction that has a nonce in the block `at`: whoever takes the nonce for lost may sign the same again. */
export async function checkNonceLost(
  rpc: Rpc,
  { at, hash, by }: { at: number; hash: Hex; by: string },
  usual: number,
  mostMs: number,
): Promise<Pick<Finality, 'deep' | 'unlike'>> {
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [hexQuantity(at), false])
  if (typeof block?.hash !== 'string' || !isInclusionBlock(block, { hash, blockHash: block.hash as Hex }))
    return { deep: false }
  const shown = { blockNumber: at, blockHash: block.hash, by, hash }
  return checkFinality(rpc, shown, requiredDepth(usual, undefined), mostMs)
}
