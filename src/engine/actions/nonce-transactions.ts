import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { SubmittedRow } from '../../store/engine/nonce-transactions-cache.ts'
import { writeInBackground } from '../best-effort-write.ts'
import type { EngineContext } from '../engine.ts'
import { hashesOf } from '../history/logs/ranged-log-reader.ts'
import { type BlocksToRead, blockSpan, type NonceRange, nextBlocks, openNonces } from './nonce-blocks.ts'
import { readWalletBlock, type WalletBlock, type WalletProgress } from './wallet-block-reader.ts'

/** The transactions of a wallet by nonce, oldest first, and whether they are all of them. */
export type SubmittedTransactions = { rows: readonly SubmittedRow[]; isComplete: boolean }

/**
 * The limits of one search; the next one continues where it ended. For a failed action they are lower, because clients poll failures often.
 */
const searchLimits = {
  whole: { nonces: 48, blocks: 400, bytes: 16_000_000, ms: 5_000 },
  little: { nonces: 4, blocks: 40, bytes: 4_000_000, ms: 2_000 },
}
/** The number of blocks read in parallel: at first, at most, and limited by bytes. */
const parallelBlocks = { first: 4, most: 25, bytes: 2_000_000 }

/**
 * Finds the transactions that a wallet has sent since a nonce, none of them before `fromBlock`. If the node has old states, only blocks
 * with such a transaction are read. Final transactions are stored and read once. If a block cannot be read now, the result is incomplete.
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
  const key = { chainId: chain.network.chainId, wallet }
  const stored = await store.submittedFrom(key, fromNonce)
  const isCanonical = await undefinedIfUnanswered(isStillCanonical(chain, stored))
  if (isCanonical === undefined) return { rows: [], isComplete: false }
  const isFresh = isCanonical || (await writeInBackground(store.deleteSubmitted(key))) !== undefined
  const rows = new Map((isCanonical ? stored : []).map((row) => [row.nonce, row]))
  const range = { ...since, rows, count, head }
  const limit = searchLimits[cost]
  const wanted = await undefinedIfUnanswered(nextBlocks(chain, wallet, range, limit))
  if (!wanted) return { rows: byNonce(rows), isComplete: false }
  const read = await readBlocks(chain, wallet, wanted.numbers, { ...limit, now })
  for (const { submitted } of read)
    for (const row of submitted) if (row.nonce >= fromNonce && row.nonce < count) rows.set(row.nonce, row)
  const isFinal = ({ block }: { block: number }) => head - block + 1 >= chain.network.depth
  const markers = wanted.blockOfNonce
    ? markersByBlock(read, wanted.blockOfNonce, range)
    : markersByRange(read, range, limit.nonces, isFinal)
  const found = read.flatMap(({ submitted }) => submitted).filter(({ nonce }) => rows.has(nonce))
  const final = [...found, ...markers].filter(isFinal)
  if (isFresh && final.length > 0) await writeInBackground(store.storeSubmitted(key, final))
  const unusedNonces = new Set([
    ...wanted.unused,
    ...markers.filter(isProvenUnused(range, wanted)).map(({ nonce }) => nonce),
  ])
  const isKnown = openNonces(range).every((nonce) => unusedNonces.has(nonce))
  return { rows: byNonce(rows), isComplete: isKnown }
}

const byNonce = (rows: ReadonlyMap<number, SubmittedRow>): SubmittedRow[] =>
  [...rows.values()].filter(({ hash }) => hash !== '').sort((a, b) => a.nonce - b.nonce)

/** Whether the stored rows are canonical: their newest block is. */
async function isStillCanonical(chain: Chain, rows: readonly SubmittedRow[]): Promise<boolean> {
  const newest = rows.reduce<SubmittedRow | undefined>(
    (best, row) => (best && best.block >= row.block ? best : row),
    undefined,
  )
  if (!newest) return true
  const number = BigInt(newest.block)
  return (await hashesOf(chain, [number])).get(number) === newest.blockHash
}

/** Reads blocks in order until one cannot be read or a limit is reached. */
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
      some.map((number) => undefinedIfUnanswered(readWalletBlock(chain, wallet, number))),
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

const markerOf = (nonce: number, { number, hash }: WalletBlock): SubmittedRow => ({
  nonce,
  block: number,
  blockHash: hash,
  hash: '',
  call: '',
})

/** Markers for nonces that have no transaction in their own blocks. */
function markersByBlock(
  read: readonly WalletBlock[],
  of: ReadonlyMap<number, number>,
  range: NonceRange,
): SubmittedRow[] {
  return read.flatMap((block) =>
    openNonces(range)
      .filter((nonce) => of.get(nonce) === block.number)
      .map((nonce) => markerOf(nonce, block)),
  )
}

/**
 * Markers of how far nonces were searched, after consecutive blocks were read: to the last final block, and to the last block. One for each
 * nonce that the first of these blocks, or a later one, may contain: a nonce that no transaction has must not stop the search for later
 * ones.
 */
function markersByRange(
  read: readonly WalletBlock[],
  range: NonceRange,
  most: number,
  isFinal: (at: { block: number }) => boolean,
): SubmittedRow[] {
  const [first, last] = [read[0], read.at(-1)]
  if (!first || !last) return []
  const ends = [read.findLast(({ number }) => isFinal({ block: number })), last].filter(
    (end) => end !== undefined,
  )
  const isLookedFor = (nonce: number) => {
    const { low, high } = blockSpan(range, nonce)
    return first.number <= low && low <= high
  }
  const some = openNonces(range).filter(isLookedFor).slice(0, most)
  return ends.flatMap((end) =>
    some.filter((nonce) => blockSpan(range, nonce).low <= end.number).map((nonce) => markerOf(nonce, end)),
  )
}

/** Whether a marker proves that no transaction has a nonce: its own block was read, or every block that may contain it. */
const isProvenUnused =
  (range: NonceRange, { blockOfNonce }: BlocksToRead) =>
  ({ nonce, block }: SubmittedRow): boolean =>
    blockOfNonce !== undefined || block >= blockSpan(range, nonce).high
