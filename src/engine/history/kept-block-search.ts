import { z } from 'zod'
import { blockBefore } from '../../chain/block-by-timestamp.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'

const Kept = z.array(z.tuple([z.string().regex(/^\d+$/), z.string(), z.number()]))

/** How many blocks are kept for a purpose. */
const maxKept = 12

/**
 * Finds the newest block at or before a time in Unix seconds; `undefined` if the chain is younger. The blocks around it are stored under
 * the name of a purpose: a later search for a time between them takes one exchange, and one for a time nearby starts there.
 */
export async function keptBlockBefore(
  store: EngineStore,
  chain: Chain,
  { purpose, time }: { purpose: string; time: number },
  head: BlockRef,
): Promise<BlockRef | undefined> {
  const { chainId } = chain.network
  const fact = `blocks-by-time ${purpose}`
  const kept = keptBlocks(await store.fact(chainId, fact))
  const { block, seen, usedKnown } = await blockBefore(chain, time, head, kept)
  const around = nearest(seen, time)
  const isKept = ({ hash }: BlockRef) => kept.some((one) => one.hash === hash)
  if (around.every(isKept)) return block
  const others = usedKnown ? kept.filter(({ number }) => around.every((one) => one.number !== number)) : []
  const rows = [...around, ...others]
    .slice(0, maxKept)
    .map(({ number, hash, timestamp }) => [number.toString(), hash, timestamp])
  await writeInBackground(store.storeFact(chainId, fact, JSON.stringify(rows)))
  return block
}

/** The blocks next to a time, of some that were read: two on each side, and the first of all. */
function nearest(seen: readonly BlockRef[], time: number): BlockRef[] {
  const sorted = seen.toSorted((a, b) => Number(a.number - b.number))
  const after = sorted.findIndex(({ timestamp }) => timestamp > time)
  const at = after === -1 ? sorted.length : after
  return [...new Set([...sorted.slice(Math.max(0, at - 2), at + 2), ...sorted.slice(0, 1)])]
}

function keptBlocks(text: string | undefined): BlockRef[] {
  const rows = text === undefined ? [] : (Kept.safeParse(JSON.parse(text)).data ?? [])
  return rows.map(([number, hash, timestamp]) => ({ number: BigInt(number), hash, timestamp }))
}
