import { z } from 'zod'
import { ask } from '../../chain/ask.ts'
import { optional, together } from '../../chain/call.ts'
import { readHeaders } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { Snapshot } from '../../store/engine/market-snapshots.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import { hashesOf } from '../history/logs/ranged-log-reader.ts'
import { undefinedIfRefused } from '../undefined-if-unread.ts'
import { dayOf, daySeconds, snapshotKey } from './annualized-rate.ts'

/** A past block: number, hash and time in Unix seconds. */
type PastBlock = { number: bigint; hash: string; timestamp: number }

const noOldStatesFact = 'no-old-states'

/** Whether a node reported less than a day ago that it has no old states; it is not tried again until then. */
export async function lacksOldStates(store: EngineStore, { network }: Chain, now: number): Promise<boolean> {
  const said = await store.fact(network.chainId, noOldStatesFact)
  return said !== undefined && now >= Number(said) && now - Number(said) < daySeconds
}

/**
 * Reads the index of markets at a block and stores it; `last` marks the last block of its day. `undefined` if
 * the node no longer has its state.
 */
export async function readSnapshots(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  block: PastBlock,
  last: 0 | 1,
): Promise<Snapshot[] | undefined> {
  const indexes = together(markets.map(({ index }) => optional(index)))
  const said = await undefinedIfRefused(ask(chain, indexes, block.number))
  if (!said) return undefined
  const rows = snapshotsOf(
    markets.flatMap((market, at) => {
      const index = said[at]
      return index === undefined || index <= 0n ? [] : [{ market, index }]
    }),
    block,
    last,
  )
  if (rows.length > 0) await writeInBackground(store.storeSnapshots(chain.network.chainId, rows, true))
  return rows
}

/** Stores that a node has no old states. */
export const storeLackOfOldStates = (store: EngineStore, { network }: Chain, now: number) =>
  writeInBackground(store.storeFact(network.chainId, noOldStatesFact, now.toString()))

/** Readings as snapshot rows. */
export const snapshotsOf = (
  all: readonly { market: Market; index: bigint }[],
  { number, hash, timestamp }: PastBlock,
  last: 0 | 1,
): Snapshot[] =>
  all.map(({ market, index }) => ({
    market: snapshotKey(market),
    day: dayOf(timestamp),
    at: timestamp,
    block: Number(number),
    hash,
    idx: index.toString(),
    last,
  }))

/**
 * The hashes of stored blocks that are no longer canonical or not mined yet. Blocks that the node does not
 * return are assumed canonical.
 */
export async function replacedBlocks(
  chain: Chain,
  rows: readonly Snapshot[],
  head: { number: bigint },
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const now = await hashesOf(
    chain,
    rows.map(({ block }) => BigInt(block)),
  )
  const isGone = ({ block, hash }: Snapshot) =>
    BigInt(block) > head.number || (now.get(BigInt(block)) ?? hash) !== hash
  return new Set(rows.filter(isGone).map(({ hash }) => hash))
}

/** The stored readings whose block is still canonical. */
export async function canonicalSnapshots(chain: Chain, rows: readonly Snapshot[]): Promise<Snapshot[]> {
  if (rows.length === 0) return []
  const now = await hashesOf(
    chain,
    rows.map(({ block }) => BigInt(block)),
  )
  return rows.filter(({ block, hash }) => now.get(BigInt(block)) === hash)
}

const Block = z.object({
  hash: z.string().regex(/^0x[0-9a-f]{64}$/i),
  timestamp: z
    .string()
    .regex(/^0x[0-9a-f]{1,13}$/i)
    .transform(Number),
})

/**
 * Reads blocks by number, in one exchange. Left out are blocks that the node does not know, incomplete
 * blocks, and blocks later than `latest`, the time of the newest block in Unix seconds.
 */
export async function pastBlocks(
  { rpc }: Chain,
  numbers: readonly bigint[],
  latest = Number.POSITIVE_INFINITY,
): Promise<PastBlock[]> {
  const blocks = await readHeaders(rpc, numbers)
  return (blocks as unknown[]).flatMap((block, at) => {
    const read = Block.safeParse(block)
    return read.success && read.data.timestamp <= latest ? [{ number: numbers[at]!, ...read.data }] : []
  })
}
