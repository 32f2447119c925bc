import type { Chain } from '../../chain/chain.ts'
import { AppError } from '../../domain/errors.ts'
import type { SubmittedRow } from '../../store/engine/submitted-transactions.ts'
import { writeInBackground } from '../background-writes.ts'
import type { EngineContext } from '../context.ts'
import { hashesOf } from '../history/logs/block-ranges.ts'
import { type BlocksToRead, blockSpan, type NonceRange, nextBlocks, openNonces } from './nonce-blocks.ts'
import { readWalletBlock, type WalletBlock, type WalletProgress } from './wallet-blocks.ts'

/** The transactions of a wallet by their nonces, oldest first, and whether they are all. */
export type SubmittedTransactions = { rows: readonly SubmittedRow[]; isComplete: boolean }

/** What one look may cost: whoever looks again goes on where this one ended. Whoever looks at a failure often must not cost much each time. */
const searchLimits = {
  whole: { nonces: 48, blocks: 400, bytes: 16_000_000, ms: 5_000 },
  little: { nonces: 4, blocks: 40, bytes: 4_000_000, ms: 2_000 },
}
/** So many blocks are asked for side by side at first, at most later, and as long as they have no more than so many bytes. */
const parallelBlocks = { first: 4, most: 25, bytes: 2_000_000 }

/**
 * What a wallet has sent since a nonce, none of which is in a block before `fromBlock`. Where the node has old states, only blocks are
 * read in which the wallet has sent something; what is final is read once. What cannot be read now is not known yet.
 */
export async function submittedSince(
  { store, now }: Pick<EngineContext, 'store' | 'now'>,
  chain: Chain,
  wallet: string,
  since: { fromBlock: number; fromNonce: number },
  { count, head }: WalletProgress,
  cost: keyof typeof searchLimits,
): Promise<SubmittedTransactions> {
  const { fromNonce } = since
  if (count <= fromNonce) return { rows: [], isComplete: true }
  const place = { chainId: chain.network.chainId, wallet }
  const kept = await store.submittedFrom(place, fromNonce)
  const isHeld = await undefinedIfUnread(isStillCanonical(chain, kept))
  if (isHeld === undefined) return { rows: [], isComplete: false }
  const isFresh = isHeld || (await writeInBackground(store.deleteSubmitted(place))) !== undefined
  const rows = new Map((isHeld ? kept : []).map((row) => [row.nonce, row]))
  const standing = { ...since, rows, count, head }
  const limit = searchLimits[cost]
  const wanted = await undefinedIfUnread(nextBlocks(chain, wallet, standing, limit))
  if (!wanted) return { rows: byNonce(rows), isComplete: false }
  const read = await readBlocks(chain, wallet, wanted.numbers, { ...limit, now })
  for (const { submitted } of read)
    for (const row of submitted) if (row.nonce >= fromNonce && row.nonce < count) rows.set(row.nonce, row)
  const isFinal = ({ block }: { block: number }) => head - block + 1 >= chain.network.depth
  const notes = wanted.blockOfNonce
    ? markersByBlock(read, wanted.blockOfNonce, standing)
    : markersByRange(read, standing, limit.nonces, isFinal)
  const found = read.flatMap(({ submitted }) => submitted).filter(({ nonce }) => rows.has(nonce))
  const final = [...found, ...notes].filter(isFinal)
  if (isFresh && final.length > 0) await writeInBackground(store.storeSubmitted(place, final))
  const none = new Set([
    ...wanted.unused,
    ...notes.filter(isProvenUnused(standing, wanted)).map(({ nonce }) => nonce),
  ])
  const isKnown = openNonces(standing).every((nonce) => none.has(nonce))
  return { rows: byNonce(rows), isComplete: isKnown }
}

const byNonce = (rows: ReadonlyMap<number, SubmittedRow>): SubmittedRow[] =>
  [...rows.values()].filter(({ hash }) => hash !== '').sort((a, b) => a.nonce - b.nonce)

/** Whether what was read is still of this chain: the newest block of it is. */
async function isStillCanonical(chain: Chain, rows: readonly SubmittedRow[]): Promise<boolean> {
  const newest = rows.reduce<SubmittedRow | undefined>(
    (best, row) => (best && best.block >= row.block ? best : row),
    undefined,
  )
  if (!newest) return true
  const number = BigInt(newest.block)
  return (await hashesOf(chain, [number])).get(number) === newest.blockHash
}

/** What was read of blocks, in order, until one cannot be read or it has cost enough. */
async function readBlocks(
  chain: Chain,
  wallet: string,
  numbers: readonly number[],
  { bytes, ms, now }: { bytes: number; ms: number; now: () => number },
): Promise<WalletBlock[]> {
  const until = now() + ms
  const read: WalletBlock[] = []
  for (
    let at = 0, cost = 0, few = parallelBlocks.first;
    at < numbers.length && cost < bytes && now() <= until;
  ) {
    const some = numbers.slice(at, at + few)
    const blocks = await Promise.all(
      some.map((number) => undefinedIfUnread(readWalletBlock(chain, wallet, number))),
    )
    const missing = blocks.indexOf(undefined)
    read.push(...blocks.slice(0, missing === -1 ? undefined : missing).filter((block) => block !== undefined))
    if (missing !== -1) break
    at += few
    cost = read.reduce((sum, block) => sum + block.bytes, 0)
    few = Math.max(
      1,
      Math.min(parallelBlocks.most, Math.floor((parallelBlocks.bytes * read.length) / (cost + 1))),
    )
  }
  return read
}

/** What the node does not give, or not now. */
async function undefinedIfUnread<value>(asked: Promise<value>): Promise<value | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  }
}

const markerOf = (nonce: number, { number, hash }: WalletBlock): SubmittedRow => ({
  nonce,
  block: number,
  blockHash: hash,
  hash: '',
  call: '',
})

/** Of nonces that are not there in their own blocks. */
function markersByBlock(
  read: readonly WalletBlock[],
  of: ReadonlyMap<number, number>,
  standing: NonceRange,
): SubmittedRow[] {
  return read.flatMap((block) =>
    openNonces(standing)
      .filter((nonce) => of.get(nonce) === block.number)
      .map((nonce) => markerOf(nonce, block)),
  )
}

/**
 * Up to which block nonces are not there, after blocks in a row were read: up to the last that is final, and the last. Of each that may be
 * in the first of them or later: one that no transaction has is before others, which are looked for all the same.
 */
function markersByRange(
  read: readonly WalletBlock[],
  standing: NonceRange,
  most: number,
  isFinal: (at: { block: number }) => boolean,
): SubmittedRow[] {
  const [first, last] = [read[0], read.at(-1)]
  if (!first || !last) return []
  const ends = [read.findLast(({ number }) => isFinal({ block: number })), last].filter(
    (end) => end !== undefined,
  )
  const isLookedFor = (nonce: number) => {
    const { low, high } = blockSpan(standing, nonce)
    return first.number <= low && low <= high
  }
  const some = openNonces(standing).filter(isLookedFor).slice(0, most)
  return ends.flatMap((end) =>
    some.filter((nonce) => blockSpan(standing, nonce).low <= end.number).map((nonce) => markerOf(nonce, end)),
  )
}

/** Whether what was read says that no transaction has a nonce: its own block was, or all that may have it. */
const isProvenUnused =
  (standing: NonceRange, { blockOfNonce }: BlocksToRead) =>
  ({ nonce, block }: SubmittedRow): boolean =>
    blockOfNonce !== undefined || block >= blockSpan(standing, nonce).high
