import { readHeaders } from '../../../chain/head.ts'
import type { Chain } from '../../../chain/network-client.ts'
import type { Address, Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { LogFilter, Market } from '../../../protocols/market-adapter.ts'
import type { LogSource } from '../../../store/engine/chain-logs.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { writeInBackground } from '../../best-effort-write.ts'
import { deploymentBlock, olderContract } from './first-block.ts'
import { filtersKey, logQueries, matchesFilters, type RpcLog } from './log-filters.ts'
import {
  type BlockId,
  type BlockRange,
  hashesOf,
  newRangeBudget,
  type RangeBudget,
  readLogPieces,
} from './ranged-log-reader.ts'

/** Whether a log has a timestamp. Some nodes omit it, or return zero or null. */
const hasTimestamp = ({ blockTimestamp }: Pick<RpcLog, 'blockTimestamp'>): boolean =>
  isTimestamp(blockTimestamp)

const isTimestamp = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) && Number(value) > 0

/** Adds the times of their blocks to logs that lack them. */
async function withTimestamps({ rpc }: Chain, logs: readonly RpcLog[]): Promise<RpcLog[]> {
  const missing = [...new Set(logs.flatMap((log) => (hasTimestamp(log) ? [] : [log.blockNumber])))]
  if (missing.length === 0) return [...logs]
  const blocks = await readHeaders(rpc, missing)
  const times = new Map(
    missing.map((number, at) => {
      const block = blocks[at]
      if (!block)
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not know the block of a log that it returned`,
        )
      if (!isTimestamp(block.timestamp))
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} returns no time for block ${BigInt(number)}`,
        )
      return [number, block.timestamp] as const
    }),
  )
  return logs.map((log) =>
    hasTimestamp(log) ? log : { ...log, blockTimestamp: times.get(log.blockNumber)! },
  )
}

/** The reading of a market's logs: `nextBlock` is the first unread block, `storedLogs` are the logs before it. */
type LogScan = {
  market: Market
  source: LogSource
  filters: LogFilter[]
  lastMark: number | null
  nextBlock: bigint
  storedLogs: RpcLog[]
}

/** A shorter chain is read from its first block, without a search for the deployment. */
const shortChainBlocks = 10_000n

/**
 * Reads all logs of some markets of one chain about one owner, up to `tip`. Final logs are stored with marks from which the next reading
 * continues; the newest blocks are read each time. Markets share queries. A reorganisation meanwhile is RPC_INCONSISTENT, and too many
 * blocks are HISTORY_UNREAD; what was read is stored.
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
  const { sources, hashes } = await startScans(store, chain, markets, owner, [tip.number, last])
  const isUpToDate = sources.every(({ nextBlock }) => nextBlock > tip.number)
  const base = last === tip.number ? tip : { number: last, hash: hashes.get(last) ?? '' }
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
  // If no new logs were read, the hashes from the start are enough.
  if (isUpToDate) requireHashes(chain, ends, hashes)
  else await requireCanonical(chain, ends)
  const found = new Map<Market, RpcLog[]>()
  for (const { market, filters, nextBlock, storedLogs } of sources) {
    const before = storedLogs.filter(({ blockNumber }) => BigInt(blockNumber) <= tip.number)
    const tail = newest.filter((log) => BigInt(log.blockNumber) >= nextBlock && matchesFilters(filters, log))
    found.set(market, sortedUnique([...before, ...tail]))
  }
  return found
}

/** Which markets of a chain have stored logs about an owner. */
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

/** The logs that match any market. The times of others are not read. */
const matchingLogs = (logs: readonly RpcLog[], sources: readonly LogScan[]): RpcLog[] =>
  logs.filter((log) => sources.some(({ filters }) => matchesFilters(filters, log)))

const queriesForScans = (sources: readonly LogScan[]) => logQueries(sources.flatMap(({ filters }) => filters))

/**
 * Returns how far each market was read, and the current hashes of the newest block, of the last final one, and of the
 * marks. Deletes logs of blocks that are no longer canonical.
 */
async function startScans(
  store: EngineStore,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  [head, last]: readonly [bigint, bigint],
): Promise<{ sources: LogScan[]; hashes: ReadonlyMap<bigint, string> }> {
  const known = await Promise.all(
    markets.map(async (market) => {
      const source = logSourceOf(market, owner)
      return { market, source, filters: market.logs(owner), marks: await store.marks(source) }
    }),
  )
  const hashes = await hashesOf(chain, [
    head,
    last,
    ...known.flatMap(({ marks }) => marks.map(({ block }) => BigInt(block))),
  ])
  const sources = await Promise.all(
    known.map(async ({ market, source, filters, marks }) => {
      const stored = (await store.storedLogs(source)).map(({ log }) => JSON.parse(log) as RpcLog)
      // Stored logs without a time are read again from that block on.
      const flawed = Number(stored.find((log) => !hasTimestamp(log))?.blockNumber ?? Infinity)
      const canonicalMark = marks.find(
        ({ block, hash }) => hashes.get(BigInt(block)) === hash && block < flawed,
      )
      if (canonicalMark !== marks[0])
        await writeInBackground(store.deleteLogs(source, canonicalMark?.block ?? -1))
      if (!canonicalMark)
        return {
          market,
          source,
          filters,
          lastMark: null,
          nextBlock: await firstLogBlock(store, chain, market, head),
          storedLogs: [],
        }
      const storedLogs = stored.filter(
        ({ blockNumber }) => Number(blockNumber) <= Number(canonicalMark.block),
      )
      return {
        market,
        source,
        filters,
        lastMark: canonicalMark.block,
        nextBlock: BigInt(canonicalMark.block) + 1n,
        storedLogs,
      }
    }),
  )
  return { sources, hashes }
}

/** The block from which the logs of a market are read: the deployment, or the first block of the chain if it is unknown. */
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

/** The unread ranges up to the last block, split where another market starts; each with the markets to read. */
function scanRanges(sources: readonly LogScan[], last: bigint): { range: BlockRange; members: LogScan[] }[] {
  const starts = [...new Set(sources.map(({ nextBlock }) => nextBlock))]
    .filter((next) => next <= last)
    .sort((a, b) => Number(a - b))
  return starts.map((from, at) => ({
    range: { from, to: at + 1 < starts.length ? starts[at + 1]! - 1n : last },
    members: sources.filter(({ nextBlock }) => nextBlock <= from),
  }))
}

/** Reads a range piece by piece and stores each piece with a mark, if its last block and the final block are canonical. */
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
    // Earlier ends of the piece are older than this one, and final.
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
    // After a piece that was not stored, storing the next ones would leave a gap.
    if (isKept === undefined) keeping.goesOn = false
    for (const member of members) {
      member.storedLogs.push(...logs.filter((log) => matchesFilters(member.filters, log)))
      member.lastMark = Number(to)
      member.nextBlock = to + 1n
    }
  }
}

async function requireCanonical(chain: Chain, tips: readonly BlockId[]): Promise<void> {
  requireHashes(
    chain,
    tips,
    await hashesOf(
      chain,
      tips.map(({ number }) => number),
    ),
  )
}

function requireHashes(chain: Chain, tips: readonly BlockId[], now: ReadonlyMap<bigint, string>): void {
  if (tips.some(({ number, hash }) => number >= 0n && now.get(number) !== hash)) throw rearranged(chain)
}

const rearranged = ({ network }: Chain): AppError =>
  new AppError('RPC_INCONSISTENT', `${network.name} was reorganised while its logs were read`)

/** Sorts logs, oldest first, and removes duplicates: a log may match several filters. */
function sortedUnique(logs: readonly RpcLog[]): RpcLog[] {
  const unique = new Map(logs.map((log) => [`${BigInt(log.blockNumber)} ${Number(log.logIndex)}`, log]))
  const at = (log: RpcLog): [Hex, Hex] => [log.blockNumber, log.logIndex]
  return [...unique.values()].sort((one, other) => {
    const [[a, i], [b, j]] = [at(one), at(other)]
    return Number(BigInt(a) - BigInt(b)) || Number(i) - Number(j)
  })
}

const dayMs = 86_400_000

/** The first pause between two readings of the same logs, in ms. Each later pause is ten times as long, up to a day. */
const firstPauseMs = 60_000

/**
 * Deletes the stored logs of an owner in a market, which are incomplete, so that they are read again. The pauses grow, because some
 * movements never have logs. Returns whether the logs were deleted. One cause is a URL with several nodes, whose block and logs come from
 * different nodes.
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
  // After a week without a problem the pauses start over.
  const again = since > 7 * dayMs ? 1 : (times ?? 1) + 1
  await writeInBackground(store.storeFact(chainId, name, `${now()} ${again}`))
  await writeInBackground(store.deleteLogs(place, -1))
  return true
}
