import type { Address, Hex } from '../../domain/address.ts'
import type { Rpc } from '../../net/rpc.ts'
import { type Block, blockAt, type InBlock, inBlock } from './nonce-search.ts'

/** A transaction of a wallet, and the block that it is in. */
export type Mined<T> = { transaction: T & { hash: Hex }; at: number }

/** Blocks that were read without what was looked for; `hash` is that of the highest, by which the others are known again. */
type Read = { low: number; high: number; hash: Hex | undefined }

/** What a node showed before, by wallet and nonce: who looks again and again reads only what is new. A node is of one chain. */
const memories = new WeakMap<Rpc, { found: Map<string, number>; read: Map<string, Read> }>()

function memoryOf(rpc: Rpc) {
  const memory = memories.get(rpc) ?? { found: new Map<string, number>(), read: new Map<string, Read>() }
  memories.set(rpc, memory)
  return memory
}

/** Notes in which block a nonce was used. */
export const noteMined = (rpc: Rpc, wallet: Address, nonce: number, at: number): unknown =>
  memoryOf(rpc).found.set(`${wallet} ${nonce}`, at)

/** Looks for the transaction of a nonce in the block where it was found before, if that is there still. */
export async function minedBefore<T extends InBlock>(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
): Promise<Mined<T> | undefined> {
  const at = memoryOf(rpc).found.get(`${wallet} ${nonce}`)
  if (at === undefined) return undefined
  const transaction = inBlock(await blockAt<T>(rpc, at), wallet, nonce)
  return transaction && { transaction, at }
}

/** Behind one URL are many nodes: one that lags lacks some of so many of the newest blocks, and not older ones. */
const newest = 64

/** How many blocks are asked for side by side. */
const together = 8

/**
 * Looks for the transactions of nonces block by block, from `head` down to `least`, in one pass for all of them; not again in blocks
 * that were read before and are on the chain still, and no farther than the node has blocks: `isWhole` says that it had all of them.
 */
export async function readThrough<T extends InBlock>(
  rpc: Rpc,
  wallet: Address,
  nonces: readonly number[],
  { least, head }: { least: number; head: number },
): Promise<{ found: Map<number, Mined<T>>; isWhole: boolean }> {
  const { read } = memoryOf(rpc)
  const keyOf = (numbers: Iterable<number>) => `${wallet} ${[...numbers].sort((a, b) => a - b).join()}`
  const [found, open] = [new Map<number, Mined<T>>(), new Set(nonces)]
  const known = await standing(rpc, read.get(keyOf(open)), head)
  let hash = known?.hash
  let isWhole = true
  const look = (block: Block<T> | undefined, at: number): void => {
    if (at === head) hash = block?.hash
    isWhole &&= block !== undefined
    for (const nonce of open) {
      const transaction = inBlock(block, wallet, nonce)
      if (!transaction) continue
      open.delete(nonce)
      found.set(nonce, { transaction, at })
    }
  }
  const unread = unreadOf({ least, head }, known)
  while (open.size > 0) {
    const numbers = Array.from({ length: together }, () => unread.next().value).filter(
      (at) => at !== undefined,
    )
    if (numbers.length === 0) break
    const blocks = await Promise.all(numbers.map((at) => blockAt<T>(rpc, at)))
    for (const [place, block] of blocks.entries()) look(block, numbers[place]!)
    // What it has neither here nor at the far end it has nowhere between.
    const isOld = numbers.some((at, place) => !blocks[place] && at < head - newest)
    if (isOld && !(await blockAt(rpc, least))) break
  }
  if (open.size > 0 && isWhole && head >= (known?.high ?? 0)) {
    const isJoined = known !== undefined && known.high >= least - 1
    read.set(keyOf(open), { low: isJoined ? Math.min(known.low, least) : least, high: head, hash })
  }
  return { found, isWhole }
}

function* unreadOf(
  { least, head }: { least: number; head: number },
  known: Read | undefined,
): Generator<number, undefined> {
  for (let at = head; at >= least; at--) if (!known || at > known.high || at < known.low) yield at
  return undefined
}

/** What was read before, if it is on the chain still, or the node is behind it. */
async function standing(rpc: Rpc, known: Read | undefined, head: number): Promise<Read | undefined> {
  if (!known || known.high > head) return known
  return (await blockAt(rpc, known.high))?.hash === known.hash ? known : undefined
}
