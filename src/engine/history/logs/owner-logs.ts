import type { Chain } from '../../../chain/chain.ts'
import type { Address, Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Market } from '../../../protocols/market.ts'
import type { LogFilter } from '../../../protocols/market-logs.ts'
import type { LogSource } from '../../../store/engine/chain-logs.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { writeInBackground } from '../../background-writes.ts'
import {
  type BlockId,
  type BlockRange,
  hashesOf,
  newRangeBudget,
  type RangeBudget,
  readLogPieces,
} from './block-ranges.ts'
import { deploymentBlock, olderContract } from './first-block.ts'
import { filtersKey, matchesFilters, queriesOf, type RpcLog } from './log-filters.ts'

/** Whether a log says when it was: some nodes leave the time of its block out, or put zero or null there. */
const hasTimestamp = ({ blockTimestamp }: Pick<RpcLog, 'blockTimestamp'>): boolean =>
  isTimestamp(blockTimestamp)

const isTimestamp = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) && Number(value) > 0

/** Logs with the times of their blocks, which not every node puts into them. */
async function withTimestamps({ rpc }: Chain, logs: readonly RpcLog[]): Promise<RpcLog[]> {
  const missing = [...new Set(logs.flatMap((log) => (hasTimestamp(log) ? [] : [log.blockNumber])))]
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
      if (!isTimestamp(block.timestamp))
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not say when block ${BigInt(number)} was`,
        )
      return [number, block.timestamp] as const
    }),
  )
  return logs.map((log) =>
    hasTimestamp(log) ? log : { ...log, blockTimestamp: times.get(log.blockNumber)! },
  )
}

/** A market whose logs are wanted, as far as they were read: `next` is the first block that is not, `known` the logs before it. */
type LogScan = {
  market: Market
  source: LogSource
  filters: LogFilter[]
  lastMark: number | null
  nextBlock: bigint
  storedLogs: RpcLog[]
}

/** A chain of fewer blocks is read from its beginning, without looking for a better one. */
const shortChainBlocks = 10_000n

/**
 * All logs of some markets of one chain that are about one owner, up to the tip. What is final is kept, with marks to go on from; the
 * newest blocks are read anew each time. Markets share questions. A chain that was rearranged meanwhile is RPC_INCONSISTENT, and one
 * that is too long for one go HISTORY_UNREAD: what was read till then is kept.
 */
export async function readOwnerLogs(
  { store, now }: { store: EngineStore; now: () => number },
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  tip: BlockId,
): Promise<Map<Market, RpcLog[]>> {
  if (markets.length === 0) return new Map()
  const last = tip.number - BigInt(chain.network.depth) + 1n
  const sources = await startScans(store, chain, markets, owner, tip.number)
  const base =
    last === tip.number ? tip : { number: last, hash: (await hashesOf(chain, [last])).get(last) ?? '' }
  const window = newRangeBudget(now)
  const keeping = { goesOn: true }
  for (const { range, members } of scanRanges(sources, last))
    await readRangeIntoStore(store, chain, members, { range, window, base, keeping })
  const newest: RpcLog[] = []
  const ends = [base, tip]
  const rest = { from: last < 0n ? 0n : last + 1n, to: tip.number }
  for await (const { tips, logs } of readLogPieces(chain, queriesForScans(sources), rest, window)) {
    newest.push(...(await withTimestamps(chain, matchingLogs(logs, sources))))
    ends.push(...tips)
  }
  await requireCanonical(chain, ends)
  const found = new Map<Market, RpcLog[]>()
  for (const { market, filters, nextBlock, storedLogs } of sources) {
    const before = storedLogs.filter(({ blockNumber }) => BigInt(blockNumber) <= tip.number)
    const tail = newest.filter((log) => BigInt(log.blockNumber) >= nextBlock && matchesFilters(filters, log))
    found.set(market, sortedUnique([...before, ...tail]))
  }
  return found
}

/** Which markets of a chain have logs about an owner that were read before. */
export async function hasStoredLogs(
  store: EngineStore,
  { network: { chainId } }: Chain,
  owner: Address,
): Promise<(market: Market) => boolean> {
  const sources = new Set(await store.storedSources(chainId, owner.toLowerCase()))
  return (market) => sources.has(logSourceOf(market, owner).source)
}

const logSourceOf = (market: Market, owner: Address): LogSource => ({
  chainId: market.entry.chainId,
  source: filtersKey(market.logs(owner)),
  owner: owner.toLowerCase(),
})

/** Those that any of the markets looks for: the times of others are not asked for. */
const matchingLogs = (logs: readonly RpcLog[], sources: readonly LogScan[]): RpcLog[] =>
  logs.filter((log) => sources.some(({ filters }) => matchesFilters(filters, log)))

const queriesForScans = (sources: readonly LogScan[]) => queriesOf(sources.flatMap(({ filters }) => filters))

/** How far each market was read, on the chain as it is now: what was read of blocks that are gone is forgotten. */
async function startScans(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  head: bigint,
): Promise<LogScan[]> {
  const known = await Promise.all(
    markets.map(async (market) => {
      const source = logSourceOf(market, owner)
      return { market, source, filters: market.logs(owner), marks: await store.marks(source) }
    }),
  )
  const now = await hashesOf(
    chain,
    known.flatMap(({ marks }) => marks.map(({ block }) => BigInt(block))),
  )
  return Promise.all(
    known.map(async ({ market, source, filters, marks }) => {
      const kept = (await store.storedLogs(source)).map(({ log }) => JSON.parse(log) as RpcLog)
      // What was kept once with no time, or with zero, is read anew from there.
      const flawed = Number(kept.find((log) => !hasTimestamp(log))?.blockNumber ?? Infinity)
      const held = marks.find(({ block, hash }) => now.get(BigInt(block)) === hash && block < flawed)
      if (held !== marks[0]) await writeInBackground(store.deleteLogs(source, held?.block ?? -1))
      if (!held)
        return {
          market,
          source,
          filters,
          lastMark: null,
          nextBlock: await firstLogBlock(store, chain, market, head),
          storedLogs: [],
        }
      const storedLogs = kept.filter(({ blockNumber }) => Number(blockNumber) <= Number(held.block))
      return { market, source, filters, lastMark: held.block, nextBlock: BigInt(held.block) + 1n, storedLogs }
    }),
  )
}

/** Where the logs of a market begin, or the beginning of the chain where nobody can say. */
async function firstLogBlock(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: bigint,
): Promise<bigint> {
  const { entry } = market
  if (entry.fromBlock > 0n || head <= shortChainBlocks) return entry.fromBlock
  const older = olderContract(market, chain)
  const found = older && (await deploymentBlock(store, chain, entry.receipt.address, older, head))
  return found ?? 0n
}

/** The blocks up to the last, cut where another market joins: each with the markets that have yet to be read there. */
function scanRanges(sources: readonly LogScan[], last: bigint): { range: BlockRange; members: LogScan[] }[] {
  const starts = [...new Set(sources.map(({ nextBlock }) => nextBlock))]
    .filter((next) => next <= last)
    .sort((a, b) => Number(a - b))
  return starts.map((from, at) => ({
    range: { from, to: at + 1 < starts.length ? starts[at + 1]! - 1n : last },
    members: sources.filter(({ nextBlock }) => nextBlock <= from),
  }))
}

/** Reads a stretch a few ranges at a time and keeps each such piece with a mark, as long as what it stands on is still there. */
async function readRangeIntoStore(
  store: EngineStore,
  chain: Chain,
  members: readonly LogScan[],
  {
    range,
    window,
    base,
    keeping,
  }: { range: BlockRange; window: RangeBudget; base: BlockId; keeping: { goesOn: boolean } },
): Promise<void> {
  for await (const { tips, logs: found } of readLogPieces(chain, queriesForScans(members), range, window)) {
    const logs = await withTimestamps(chain, matchingLogs(found, members))
    // What ends further down is older than what is final.
    const end = tips.at(-1)!
    await requireCanonical(chain, [end, base])
    const { number: to, hash } = end
    const pieces = members.map(({ source, lastMark, filters }) => ({
      place: source,
      after: lastMark,
      logs: sortedUnique(logs.filter((log) => matchesFilters(filters, log))).map((log) => ({
        block: Number(log.blockNumber),
        idx: Number(log.logIndex),
        log: JSON.stringify(log),
      })),
    }))
    const isKept = keeping.goesOn
      ? await writeInBackground(store.storeLogs(pieces, { block: Number(to), hash }))
      : undefined
    if (isKept === false) throw rearranged(chain)
    // Behind a piece that is not kept, the next ones would leave a hole.
    if (isKept === undefined) keeping.goesOn = false
    for (const member of members) {
      member.storedLogs.push(...logs.filter((log) => matchesFilters(member.filters, log)))
      member.lastMark = Number(to)
      member.nextBlock = to + 1n
    }
  }
}

async function requireCanonical(chain: Chain, tips: readonly BlockId[]): Promise<void> {
  const now = await hashesOf(
    chain,
    tips.map(({ number }) => number),
  )
  if (tips.some(({ number, hash }) => number >= 0n && now.get(number) !== hash)) throw rearranged(chain)
}

const rearranged = ({ network }: Chain): AppError =>
  new AppError('RPC_INCONSISTENT', `${network.name} was rearranged while its logs were read`)

/** Oldest first, each once: a log may answer several filters. */
function sortedUnique(logs: readonly RpcLog[]): RpcLog[] {
  const unique = new Map(logs.map((log) => [`${BigInt(log.blockNumber)} ${Number(log.logIndex)}`, log]))
  const at = (log: RpcLog): [Hex, Hex] => [log.blockNumber, log.logIndex]
  return [...unique.values()].sort((one, other) => {
    const [[a, i], [b, j]] = [at(one), at(other)]
    return Number(BigInt(a) - BigInt(b)) || Number(i) - Number(j)
  })
}

const dayMs = 86_400_000

/** For so long, in ms, what was read again is left alone the first time, and ten times as long each time after, up to a day. */
const firstPauseMs = 60_000

/**
 * Forgets the logs of an owner in a market that cannot be all there are, so that they are read anew; more and more seldom, as there
 * are units whose logs nobody gives. Says whether it did. Where several nodes answer one exchange, the block may be of another one
 * than the logs.
 */
export async function discardIncompleteLogs(
  { store, now }: { store: EngineStore; now: () => number },
  { network: { chainId } }: Chain,
  market: Market,
  owner: Address,
): Promise<boolean> {
  const place = { chainId, source: filtersKey(market.logs(owner)), owner: owner.toLowerCase() }
  const name = `read again ${place.source} ${place.owner}`
  const [last, times] = ((await store.fact(chainId, name)) ?? '').split(' ').map(Number)
  const since = last ? now() - last : Infinity
  if (since < Math.min(dayMs, firstPauseMs * 10 ** ((times ?? 1) - 1))) return false
  // What was in order for a week begins anew.
  const again = since > 7 * dayMs ? 1 : (times ?? 1) + 1
  await writeInBackground(store.storeFact(chainId, name, `${now()} ${again}`))
  await writeInBackground(store.deleteLogs(place, -1))
  return true
}
