import { z } from 'zod'
import { ask } from '../../chain/ask.ts'
import { optional, together } from '../../chain/call.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import { keptBlockBefore } from '../history/kept-block-search.ts'
import { undefinedIfRefused } from '../undefined-if-unread.ts'
import { averageDays, daySeconds, snapshotKey } from './annualized-rate.ts'

/** The periods before now whose indexes are read, in seconds. A week is longer than any vault takes to pay out its earnings. */
const periods = { week: 7 * daySeconds, month: averageDays * daySeconds }

/** A period before now. */
export type Period = keyof typeof periods

/** The past times that are read are multiples of this, in seconds, so that each process reads the same blocks. */
const timeStep = 6 * 3_600

/** The indexes of markets at one past block; `undefined` for a market that has none there. */
export type PastIndexes = { block: BlockRef; index: ReadonlyMap<Market, bigint | undefined> }

/** How long a found block is used without another look whether it is canonical, in seconds of the chain. */
const maxAgeSeconds = 3_600

/** The indexes by market as they are stored, or the host that lacks the state of that block. */
const Kept = z.object({
  hash: z.string(),
  index: z.record(z.string(), z.string().nullable()),
  lackedBy: z.string().optional(),
})

/** Reads the indexes of markets a period ago; `young` if the chain is younger, `refused` if the node lacks the state. */
export type PastIndexReader = (
  markets: readonly Market[],
  head: BlockRef,
) => Promise<PastIndexes | 'young' | 'refused'>

/** Finds the newest block a period before another block; `undefined` if the chain is younger. */
export type PastBlockFinder = (period: Period, head: BlockRef) => Promise<BlockRef | undefined>

/** Creates the finder of one chain. It finds the blocks of all periods at once, because that takes no more exchanges than one. */
export function pastBlockFinder(store: EngineStore, chain: () => Chain): PastBlockFinder {
  type Blocks = Readonly<Record<Period, BlockRef | undefined>>
  let last: { at: number; times: string; blocks: Promise<Blocks> } | undefined
  return async (period, head) => {
    // The next later one: a chain of exactly that age has it.
    const timeOf = (one: Period) => Math.ceil((head.timestamp - periods[one]) / timeStep) * timeStep
    const find = (one: Period) => keptBlockBefore(store, chain(), { purpose: one, time: timeOf(one) }, head)
    const times = `${timeOf('week')} ${timeOf('month')}`
    const age = head.timestamp - (last?.at ?? 0)
    if (!last || last.times !== times || age < 0 || age >= maxAgeSeconds) {
      const blocks = Promise.all([find('week'), find('month')]).then(([week, month]) => ({ week, month }))
      const found = { at: head.timestamp, times, blocks }
      last = found
      blocks.catch(() => {
        if (last === found) last = undefined
      })
    }
    return (await last.blocks)[period]
  }
}

/**
 * Creates the reader of one chain and period. What was read is stored, and read again when the block of that time is another one: at
 * most every six hours.
 */
export function pastIndexReader(
  store: EngineStore,
  chain: () => Chain,
  { period, blockOf }: { period: Period; blockOf: PastBlockFinder },
): PastIndexReader {
  let known: z.infer<typeof Kept> | undefined
  return async (markets, head) => {
    const { network, rpc } = chain()
    const fact = `indexes-ago ${period}`
    const [block, text] = await Promise.all([
      blockOf(period, head),
      known ? undefined : store.fact(network.chainId, fact),
    ])
    if (!block) return 'young'
    known ??= text === undefined ? undefined : Kept.safeParse(JSON.parse(text)).data
    if (known?.hash !== block.hash) known = { hash: block.hash, index: {} }
    const { index, lackedBy } = known
    const missing = markets.filter((market) => index[snapshotKey(market)] === undefined)
    if (missing.length > 0) {
      if (lackedBy === rpc.host) return 'refused'
      const readings = together(missing.map((market) => optional(market.index)))
      const said = await undefinedIfRefused(ask(chain(), readings, block.number))
      const added = said?.map((one, at) => [snapshotKey(missing[at]!), one?.toString() ?? null] as const)
      known = {
        hash: block.hash,
        index: { ...index, ...(added && Object.fromEntries(added)) },
        ...(!said && { lackedBy: rpc.host }),
      }
      await writeInBackground(store.storeFact(network.chainId, fact, JSON.stringify(known)))
      if (!said) return 'refused'
    }
    const then = known.index
    return {
      block,
      index: new Map(
        markets.map((market) => {
          const value = then[snapshotKey(market)]
          return [market, value ? BigInt(value) : undefined]
        }),
      ),
    }
  }
}
