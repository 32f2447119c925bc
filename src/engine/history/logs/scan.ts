import type { Chain } from '../../../chain/chain.ts'
import type { Address, Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Market } from '../../../protocols/market.ts'
import type { LogFilter } from '../../../protocols/market-logs.ts'
import type { LogSource } from '../../../store/engine/chain-logs.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { inPassing } from '../../background-writes.ts'
import { hashesOf, newWindow, piecesOf, type Range, type Tip, type Window } from './block-ranges.ts'
import { isFor, nameOf, queriesOf, type RpcLog } from './filters.ts'
import { firstBlockOf, olderThan } from './first-block.ts'

/** Whether a log says when it was: some nodes leave the time of its block out, or put zero or null there. */
const isStamped = ({ blockTimestamp }: Pick<RpcLog, 'blockTimestamp'>): boolean => isTime(blockTimestamp)

const isTime = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) && Number(value) > 0

/** Logs with the times of their blocks, which not every node puts into them. */
async function stamped({ rpc }: Chain, logs: readonly RpcLog[]): Promise<RpcLog[]> {
  const missing = [...new Set(logs.flatMap((log) => (isStamped(log) ? [] : [log.blockNumber])))]
  if (missing.length === 0) return [...logs]
  const blocks = (await rpc.batch(missing.map((number) => ['eth_getBlockByNumber', [number, false]]))) as ({
    timestamp: Hex
  } | null)[]
  const times = new Map(
    missing.map((number, at) => {
      const block = blocks[at]
      if (!block)
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not know the block of a log it gave`,
        )
      if (!isTime(block.timestamp))
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not say when block ${BigInt(number)} was`,
        )
      return [number, block.timestamp] as const
    }),
  )
  return logs.map((log) => (isStamped(log) ? log : { ...log, blockTimestamp: times.get(log.blockNumber)! }))
}

/** A market whose logs are wanted, as far as they were read: `next` is the first block that is not, `known` the logs before it. */
type Source = {
  market: Market
  place: LogSource
  filters: LogFilter[]
  after: number | null
  next: bigint
  known: RpcLog[]
}

/** A chain of fewer blocks is read from its beginning, without looking for a better one. */
const short = 10_000n

/**
 * All logs of some markets of one chain that are about one owner, up to the tip. What is final is kept, with marks to go on from; the
 * newest blocks are read anew each time. Markets share questions. A chain that was rearranged meanwhile is RPC_INCONSISTENT, and one
 * that is too long for one go HISTORY_UNREAD: what was read till then is kept.
 */
export async function logsOf(
  { store, now }: { store: EngineStore; now: () => number },
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  tip: Tip,
): Promise<Map<Market, RpcLog[]>> {
  if (markets.length === 0) return new Map()
  const last = tip.number - BigInt(chain.network.depth) + 1n
  const sources = await begun(store, chain, markets, owner, tip.number)
  const base =
    last === tip.number ? tip : { number: last, hash: (await hashesOf(chain, [last])).get(last) ?? '' }
  const window = newWindow(now)
  const keeping = { goesOn: true }
  for (const { range, members } of stretches(sources, last))
    await readInto(store, chain, members, { range, window, base, keeping })
  const newest: RpcLog[] = []
  const ends = [base, tip]
  const rest = { from: last < 0n ? 0n : last + 1n, to: tip.number }
  for await (const { tips, logs } of piecesOf(chain, queriesIn(sources), rest, window)) {
    newest.push(...(await stamped(chain, meantIn(logs, sources))))
    ends.push(...tips)
  }
  await stillOn(chain, ends)
  const found = new Map<Market, RpcLog[]>()
  for (const { market, filters, next, known } of sources) {
    const before = known.filter(({ blockNumber }) => BigInt(blockNumber) <= tip.number)
    const tail = newest.filter((log) => BigInt(log.blockNumber) >= next && isFor(filters, log))
    found.set(market, inOrder([...before, ...tail]))
  }
  return found
}

/** Which markets of a chain have logs about an owner that were read before. */
export async function keptAmong(
  store: EngineStore,
  { network: { chainId } }: Chain,
  owner: Address,
): Promise<(market: Market) => boolean> {
  const sources = new Set(await store.storedSources(chainId, owner.toLowerCase()))
  return (market) => sources.has(placeOf(market, owner).source)
}

const placeOf = (market: Market, owner: Address): LogSource => ({
  chainId: market.entry.chainId,
  source: nameOf(market.logs(owner)),
  owner: owner.toLowerCase(),
})

/** Those that any of the markets looks for: the times of others are not asked for. */
const meantIn = (logs: readonly RpcLog[], sources: readonly Source[]): RpcLog[] =>
  logs.filter((log) => sources.some(({ filters }) => isFor(filters, log)))

const queriesIn = (sources: readonly Source[]) => queriesOf(sources.flatMap(({ filters }) => filters))

/** How far each market was read, on the chain as it is now: what was read of blocks that are gone is forgotten. */
async function begun(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  head: bigint,
): Promise<Source[]> {
  const known = await Promise.all(
    markets.map(async (market) => {
      const place = placeOf(market, owner)
      return { market, place, filters: market.logs(owner), marks: await store.marks(place) }
    }),
  )
  const now = await hashesOf(
    chain,
    known.flatMap(({ marks }) => marks.map(({ block }) => BigInt(block))),
  )
  return Promise.all(
    known.map(async ({ market, place, filters, marks }) => {
      const kept = (await store.storedLogs(place)).map(({ log }) => JSON.parse(log) as RpcLog)
      // What was kept once with no time, or with zero, is read anew from there.
      const flawed = Number(kept.find((log) => !isStamped(log))?.blockNumber ?? Infinity)
      const held = marks.find(({ block, hash }) => now.get(BigInt(block)) === hash && block < flawed)
      if (held !== marks[0]) await inPassing(store.deleteLogs(place, held?.block ?? -1))
      if (!held)
        return {
          market,
          place,
          filters,
          after: null,
          next: await startOf(store, chain, market, head),
          known: [],
        }
      const known = kept.filter(({ blockNumber }) => Number(blockNumber) <= Number(held.block))
      return { market, place, filters, after: held.block, next: BigInt(held.block) + 1n, known }
    }),
  )
}

/** Where the logs of a market begin, or the beginning of the chain where nobody can say. */
async function startOf(store: EngineStore, chain: Chain, market: Market, head: bigint): Promise<bigint> {
  const { entry } = market
  if (entry.fromBlock > 0n || head <= short) return entry.fromBlock
  const older = olderThan(market, chain)
  const found = older && (await firstBlockOf(store, chain, entry.receipt.address, older, head))
  return found ?? 0n
}

/** The blocks up to the last, cut where another market joins: each with the markets that have yet to be read there. */
function stretches(sources: readonly Source[], last: bigint): { range: Range; members: Source[] }[] {
  const starts = [...new Set(sources.map(({ next }) => next))]
    .filter((next) => next <= last)
    .sort((a, b) => Number(a - b))
  return starts.map((from, at) => ({
    range: { from, to: at + 1 < starts.length ? starts[at + 1]! - 1n : last },
    members: sources.filter(({ next }) => next <= from),
  }))
}

/** Reads a stretch a few ranges at a time and keeps each such piece with a mark, as long as what it stands on is still there. */
async function readInto(
  store: EngineStore,
  chain: Chain,
  members: readonly Source[],
  { range, window, base, keeping }: { range: Range; window: Window; base: Tip; keeping: { goesOn: boolean } },
): Promise<void> {
  for await (const { tips, logs: found } of piecesOf(chain, queriesIn(members), range, window)) {
    const logs = await stamped(chain, meantIn(found, members))
    // What ends further down is older than what is final.
    const end = tips.at(-1)!
    await stillOn(chain, [end, base])
    const { number: to, hash } = end
    const pieces = members.map(({ place, after, filters }) => ({
      place,
      after,
      logs: inOrder(logs.filter((log) => isFor(filters, log))).map((log) => ({
        block: Number(log.blockNumber),
        idx: Number(log.logIndex),
        log: JSON.stringify(log),
      })),
    }))
    const isKept = keeping.goesOn
      ? await inPassing(store.storeLogs(pieces, { block: Number(to), hash }))
      : undefined
    if (isKept === false) throw rearranged(chain)
    // Behind a piece that is not kept, the next ones would leave a hole.
    if (isKept === undefined) keeping.goesOn = false
    for (const member of members) {
      member.known.push(...logs.filter((log) => isFor(member.filters, log)))
      member.after = Number(to)
      member.next = to + 1n
    }
  }
}

async function stillOn(chain: Chain, tips: readonly Tip[]): Promise<void> {
  const now = await hashesOf(
    chain,
    tips.map(({ number }) => number),
  )
  if (tips.some(({ number, hash }) => number >= 0n && now.get(number) !== hash)) throw rearranged(chain)
}

const rearranged = ({ network }: Chain): AppError =>
  new AppError('RPC_INCONSISTENT', `${network.name} was rearranged while its logs were read`)

/** Oldest first, each once: a log may answer several filters. */
function inOrder(logs: readonly RpcLog[]): RpcLog[] {
  const unique = new Map(logs.map((log) => [`${BigInt(log.blockNumber)} ${Number(log.logIndex)}`, log]))
  const at = (log: RpcLog): [Hex, Hex] => [log.blockNumber, log.logIndex]
  return [...unique.values()].sort((one, other) => {
    const [[a, i], [b, j]] = [at(one), at(other)]
    return Number(BigInt(a) - BigInt(b)) || Number(i) - Number(j)
  })
}
