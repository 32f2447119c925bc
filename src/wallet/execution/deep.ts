import { AppError } from '../../domain/errors.ts'
import { quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { blockNumber as newestBlock } from '../chain/block-number.ts'
import type { Depth } from './run.ts'
import { confirmationsOf } from './watch.ts'

/** Whether a block lies deep enough, and in which words that can be said: `depth 3`, `finalized`. `missing` blocks make it so. */
export type HowDeep = { deep: boolean; reached: string; missing: number }

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
export async function howDeep(rpc: Rpc, blockNumber: number, wanted: Depth, usual: number): Promise<HowDeep> {
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
export async function deepBlock(rpc: Rpc, wanted: Depth, usual: number): Promise<number> {
  const tagged = typeof wanted === 'string' ? await taggedBlock(rpc, wanted) : undefined
  const depth = typeof wanted === 'number' ? wanted : usual
  return tagged ?? Math.max(0, (await newestBlock(rpc)) - depth + 1)
}
