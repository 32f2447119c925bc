import { AppError } from '../../domain/errors.ts'
import type { EngineStore } from '../../store/engine.ts'
import type { Snapshot } from '../../store/engine-snapshots.ts'
import { type Chain, read } from '../chain.ts'
import { inPassing } from '../in-passing.ts'
import { hashesOf } from '../logs/blocks.ts'
import type { Market } from '../markets/market.ts'
import { optional, together } from '../reading.ts'
import { day, dayOf, keyOf } from './point.ts'

/** A block of the past, by number, hash and time in Unix seconds. */
export type PastBlock = { number: bigint; hash: string; timestamp: number }

const refused = 'no-old-states'

/** Whether a node said less than a day ago that it keeps no old states: it is not asked again before. */
export async function hasNone(store: EngineStore, { network }: Chain, now: number): Promise<boolean> {
  const said = await store.fact(network.chainId, refused)
  return said !== undefined && now >= Number(said) && now - Number(said) < day
}

/** What markets were at a block, which may be the `last` of its day, kept for whoever asks next; `undefined` where the node no longer has its state. */
export async function readingsAt(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  block: PastBlock,
  last: 0 | 1,
): Promise<Snapshot[] | undefined> {
  const said = await read(chain, together(markets.map(({ index }) => optional(index))), block.number).catch(
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
      throw error
    },
  )
  if (!said) return undefined
  const rows = snapshotsOf(
    markets.flatMap((market, at) => {
      const index = said[at]
      return index === undefined || index <= 0n ? [] : [{ market, index }]
    }),
    block,
    last,
  )
  if (rows.length > 0) await inPassing(store.keepSnapshots(chain.network.chainId, rows, true))
  return rows
}

/** Remembers that a node keeps no old states. */
export const rememberNone = (store: EngineStore, { network }: Chain, now: number) =>
  inPassing(store.keepFact(network.chainId, refused, now.toString()))

/** Readings as they are kept. */
export const snapshotsOf = (
  all: readonly { market: Market; index: bigint }[],
  { number, hash, timestamp }: PastBlock,
  last: 0 | 1,
): Snapshot[] =>
  all.map(({ market, index }) => ({
    market: keyOf(market),
    day: dayOf(timestamp),
    at: timestamp,
    block: Number(number),
    hash,
    idx: index.toString(),
    last,
  }))

/** The blocks of readings in whose place the chain has another one now, or none yet, by hash; those of which the node does not speak may be there. */
export async function replaced(
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

/** Those readings whose block is still on the chain. */
export async function stillThere(chain: Chain, rows: readonly Snapshot[]): Promise<Snapshot[]> {
  if (rows.length === 0) return []
  const now = await hashesOf(
    chain,
    rows.map(({ block }) => BigInt(block)),
  )
  return rows.filter(({ block, hash }) => now.get(BigInt(block)) === hash)
}
