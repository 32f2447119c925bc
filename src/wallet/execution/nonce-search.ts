import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** How many transactions of a wallet there were at a block, or are now; `undefined` where the node does not know that any more. */
export type Count = (at: 'latest' | number) => Promise<number | undefined>

/** Asks a node for the count of a wallet, once for each block. */
export function countOf(rpc: Rpc, wallet: Address): Count {
  const known = new Map<'latest' | number, Promise<number | undefined>>()
  const ask: Count = (at) =>
    rpc.request('eth_getTransactionCount', [wallet, at === 'latest' ? at : hexQuantity(at)]).then(
      (answer) => Number(quantity(answer, 'the nonce')),
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'RPC_ERROR' && at !== 'latest') return undefined
        throw error
      },
    )
  return (at) => {
    const asked = known.get(at) ?? ask(at)
    known.set(at, asked)
    return asked
  }
}

type Shown = { from?: string; nonce?: string }

type Block<T> = { transactions?: T[] } | null

/** A block with its transactions; `null` where the node does not have it. */
const blockAt = <T>(rpc: Rpc, at: number): Promise<Block<T>> =>
  rpc.request<Block<T>>('eth_getBlockByNumber', [hexQuantity(at), true])

/** The transaction of a nonce in a block, if it is there. */
export const inBlock = async <T extends Shown>(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
  at: number,
): Promise<T | undefined> => ownIn(await blockAt<T>(rpc, at), wallet, nonce)

const ownIn = <T extends Shown>(block: Block<T>, wallet: Address, nonce: number): T | undefined =>
  block?.transactions?.find(
    ({ from, nonce: used }) => from !== undefined && sameAddress(from, wallet) && Number(used) === nonce,
  )

/** The block from `least` to `head` in which the nonce was used, by halving, where the node has the state of as many; else one that it is not in. */
export async function blockOfNonce(
  count: Count,
  nonce: number,
  { least, head }: { least: number; head: number },
): Promise<number> {
  let before = least - 1
  let after = head
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    // What is too old for the node's memory counts as before: then only what is newer is looked at.
    if (((await count(middle)) ?? 0) > nonce) after = middle
    else before = middle
  }
  return after
}

/** Behind one URL are many nodes: one that lags lacks some of so many of the newest blocks, and not older ones. */
const newest = 64

/** Where the owner of a nonce was found, by node, wallet and nonce: who looks again and again looks there first. */
const foundBefore = new Map<string, number>()

/**
 * The transaction that used a nonce, from the block `least` to `head`: looked for where it was before, then by halving, and block by
 * block, newest first, where the node does not have the states for that; no farther than it has blocks.
 */
export async function minedWith<T extends Shown>(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
  range: { least: number; head: number },
): Promise<{ transaction: T; at: number } | undefined> {
  const key = `${rpc.host} ${wallet} ${nonce}`
  for await (const { at, isOneByOne } of placesOf(rpc, wallet, nonce, range, foundBefore.get(key))) {
    const block = await blockAt<T>(rpc, at)
    const isOld = isOneByOne && at < range.head - newest
    // What it has neither here nor at the far end it has nowhere between.
    if (block === null && isOld && (await blockAt(rpc, range.least)) === null) return undefined
    const transaction = ownIn(block, wallet, nonce)
    if (!transaction) continue
    foundBefore.set(key, at)
    return { transaction, at }
  }
  return undefined
}

async function* placesOf(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
  range: { least: number; head: number },
  before: number | undefined,
): AsyncGenerator<{ at: number; isOneByOne?: true }> {
  if (before !== undefined && before <= range.head) yield { at: before }
  const halved = await halvedTo(rpc, wallet, nonce, range)
  if (halved) yield { at: halved.at }
  // Used in that block, and by no transaction of the wallet, or not at all: it is nowhere else.
  if (halved?.isCertain) return
  for (let at = range.head; at >= range.least; at--) yield { at, isOneByOne: true }
}

/** Where halving ends, and whether the counts before and after say that it was there; `undefined` where the node does not answer that. */
async function halvedTo(rpc: Rpc, wallet: Address, nonce: number, range: { least: number; head: number }) {
  const count = countOf(rpc, wallet)
  try {
    const at = await blockOfNonce(count, nonce, range)
    const [earlier, later] = [at > 0 ? await count(at - 1) : undefined, await count(at)]
    // A node may give the newest count, or zero, for a block that it has no state of: neither says where it was used.
    const wasBefore = earlier !== undefined && earlier > 0 && earlier <= nonce
    return { at, isCertain: later !== undefined && (later <= nonce || wasBefore) }
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  }
}
