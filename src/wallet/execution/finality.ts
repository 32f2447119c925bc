import type { Hex } from '../../domain/address.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { type Disagreement, disagreement, type InBlock } from './agreement.ts'
import { type HowDeep, howDeep } from './deep.ts'
import type { Depth } from './run.ts'
import { type Block, isBlockOf } from './watch.ts'

/** How deep something must lie: `wanted`, and `usual` blocks where the chain does not know what is wanted. */
export type Wanted = { wanted: Depth; usual: number }

/** How deep something must lie after which the same may be signed again: more than a block or two must lie on it, but where a chain has no more. */
const forGood = (usual: number): Depth => (usual <= 1 ? usual : 'finalized')

/** How deep what is not ours must lie on a chain where so many blocks are usual: as was said, or so that the same may be signed again. */
export const wantedOf = (usual: number, depth: Depth | undefined): Wanted => ({
  wanted: depth ?? forGood(usual),
  usual,
})

/** How far something in a block is from being final; `unlike` is what another endpoint shows instead, and keeps it from being so. */
export type Finality = HowDeep & { unlike?: Disagreement }

/**
 * Whether what an endpoint shows in a block is final: it lies deep enough there, and no other endpoint that answers within so many ms
 * shows anything else (safety.md, row 37). Whoever decides for good what became of a transaction asks this.
 */
export async function finalityOf(
  rpc: Rpc,
  shown: InBlock,
  { wanted, usual }: Wanted,
  mostMs: number,
): Promise<Finality> {
  const lies = (node: Rpc) => howDeep(node, shown.blockNumber, wanted, usual)
  const own = await lies(rpc)
  if (!own.deep) return own
  const unlike = await disagreement(rpc, shown, async (node) => (await lies(node)).deep, mostMs)
  return unlike ? { ...own, deep: false, unlike } : own
}

/** The same of the transaction that has a nonce in the block `at`: whoever takes the nonce for lost may sign the same again. */
export async function isNonceLost(
  rpc: Rpc,
  { at, hash, by }: { at: number; hash: Hex; by: string },
  usual: number,
  mostMs: number,
): Promise<Pick<Finality, 'deep' | 'unlike'>> {
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [hexQuantity(at), false])
  if (typeof block?.hash !== 'string' || !isBlockOf(block, { hash, blockHash: block.hash as Hex }))
    return { deep: false }
  const shown = { blockNumber: at, blockHash: block.hash, by, hash }
  return finalityOf(rpc, shown, wantedOf(usual, undefined), mostMs)
}
