import { headerRequest, readHeaders } from '../../../chain/head.ts'
import type { Chain } from '../../../chain/network-client.ts'
import { isRateLimitText } from '../../../chain/rpc/error-table.ts'
import { AppError } from '../../../domain/errors.ts'
import { rpcVariable } from '../../../domain/networks.ts'
import { sanitizeText } from '../../../domain/text/terminal-sanitizing.ts'
import type { LogQuery, RpcLog } from './log-filters.ts'

/** With ranges this small, a node cannot keep up with a fast chain. */
const smallRange = 1_000n

/**
 * HISTORY_UNREAD: there are more blocks than one request reads. `maxSize` is the largest range that the node accepts, as far as it refused
 * larger ones.
 */
function tooManyBlocks({ rpc, network }: Chain, block: bigint, { maxSize }: RangeBudget): AppError {
  const why =
    maxSize <= smallRange ? `: the node at ${rpc.host} returns logs of at most ${maxSize} blocks at once` : ''
  return new AppError(
    'HISTORY_UNREAD',
    `There are too many blocks on ${network.name} to read all logs in one request${why}`,
    {
      details: { network: network.name, block: block.toString() },
      ...(maxSize <= smallRange && {
        hint: `Set an RPC in ${rpcVariable(network)} that returns logs of more blocks at once, or repeat the request: it continues from the stored logs.`,
      }),
    },
  )
}

/** HISTORY_UNREAD: the node returns no logs even for one block. */
const logsUnavailable = ({ rpc, network }: Chain, cause: AppError): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} returns no logs of ${network.name}: ${sanitizeText(String(cause.details?.message ?? cause.message))}`,
    {
      details: { ...cause.details, network: network.name },
      hint: `Set an RPC in ${rpcVariable(network)} that returns logs.`,
      cause,
    },
  )

/** HISTORY_UNREAD: the node accepts no batches, so nothing proves up to which block its logs are complete. */
const batchUnavailable = ({ rpc, network }: Chain, cause: unknown): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} accepts no batches, so nothing proves that its logs are complete`,
    {
      details: { network: network.name },
      hint: `Set an RPC in ${rpcVariable(network)} that accepts batches.`,
      cause,
    },
  )

/** A block by number and hash. Logs are valid while it is canonical. */
export type BlockId = { number: bigint; hash: string }

/** Reads the current hashes of blocks, by number, in one exchange. A block that the node does not know is missing. */
export async function hashesOf({ rpc }: Chain, numbers: readonly bigint[]): Promise<Map<bigint, string>> {
  const asked = [...new Set(numbers)].filter((number) => number >= 0n)
  const blocks = await readHeaders(rpc, asked)
  return new Map(
    asked.flatMap((number, at) => {
      const hash = blocks[at]?.hash
      return hash ? [[number, hash] as const] : []
    }),
  )
}

/** The blocks from the first to the last, both included. */
export type BlockRange = { from: bigint; to: bigint }

/** The size of the next range, and the limits of a reading. The size grows while the node answers, and stays below what it refused. */
export type RangeBudget = { size: bigint; maxSize: bigint; rangesLeft: number; isOverTime: () => boolean }

/** The size of the first range. */
const initialSize = 10_000n
/** The maximum size of a range. */
const maxRangeSize = 1_000_000n
/** The maximum number of ranges of one reading. The next one continues where it ended. */
const maxRanges = 480
/** The number of ranges read in parallel. */
const parallelRanges = 4

/** The maximum duration of one reading, in ms. */
const maxReadMs = 20_000

/** Starts a reading, with a clock in ms and optional lower limits. */
export function newRangeBudget(
  now: () => number,
  { ranges, ms }: { ranges: number; ms: number } = { ranges: maxRanges, ms: maxReadMs },
): RangeBudget {
  const until = now() + ms
  return { size: initialSize, maxSize: maxRangeSize, rangesLeft: ranges, isOverTime: () => now() > until }
}

/** The logs of some ranges, and the last block of each range. */
type LogPiece = { tips: BlockId[]; logs: RpcLog[] }

/**
 * Reads all logs of a range of blocks, piece by piece and in order. Several ranges are read in parallel; if the node refuses one, those
 * before it are a piece, and the reading continues with smaller ranges. Too many blocks are HISTORY_UNREAD.
 */
export async function* readLogPieces(
  chain: Chain,
  queries: readonly LogQuery[],
  stretch: BlockRange,
  window: RangeBudget,
): AsyncGenerator<LogPiece> {
  let at = stretch.from
  while (at <= stretch.to) {
    const ranges = nextRanges({ from: at, to: stretch.to }, window)
    window.rangesLeft -= ranges.length
    if (window.rangesLeft < 0 || window.isOverTime()) throw tooManyBlocks(chain, at, window)
    const answers = await Promise.allSettled(ranges.map((range) => readRange(chain, queries, range)))
    const refused = answers.findIndex(({ status }) => status === 'rejected')
    const answered = answers.slice(0, refused === -1 ? undefined : refused)
    const last = ranges[answered.length - 1]
    if (last) {
      const given = answered.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      yield { tips: given.map(({ tip }) => tip), logs: given.flatMap(({ logs }) => logs) }
      at = last.to + 1n
    }
    const refusal = answers[answered.length]
    if (refusal?.status === 'rejected') narrow(chain, window, ranges[answered.length]!, refusal.reason)
    else widen(window)
  }
}

function nextRanges({ from, to }: BlockRange, { size }: RangeBudget): BlockRange[] {
  const ranges: BlockRange[] = []
  for (let at = from; at <= to && ranges.length < parallelRanges; at += size)
    ranges.push({ from: at, to: at + size - 1n < to ? at + size - 1n : to })
  return ranges
}

function widen(window: RangeBudget): void {
  const wider = window.size * 4n
  window.size = wider < window.maxSize ? wider : window.maxSize
}

/** Shrinks the range after a refusal: to the limit that the node states, or by half. Other errors are thrown. */
function narrow(chain: Chain, window: RangeBudget, { from, to }: BlockRange, error: unknown): void {
  const blocks = to - from + 1n
  if (!isRangeRefused(error)) throw error
  if (blocks === 1n) throw logsUnavailable(chain, error)
  const stated = statedRangeLimit(error)
  window.size = stated !== undefined && stated < blocks ? stated : (blocks + 1n) / 2n
  window.maxSize = window.size
}

/** The number of queries in one exchange, together with the last block of their range. */
const queriesPerBatch = 50

/**
 * Reads the logs of a range and its last block from the same node. Several nodes may share a URL, and a node that lacks the block returns
 * partial logs without an error.
 */
async function readRange(
  chain: Chain,
  queries: readonly LogQuery[],
  { from, to }: BlockRange,
): Promise<{ tip: BlockId; logs: RpcLog[] }> {
  const { rpc, network } = chain
  const filters = queries.map((query) => ({ ...query, fromBlock: hex(from), toBlock: hex(to) }))
  const parts = Array.from({ length: Math.ceil(filters.length / queriesPerBatch) }, (_, at) =>
    filters.slice(at * queriesPerBatch, (at + 1) * queriesPerBatch),
  )
  const given = await Promise.all(
    parts.map((part) =>
      rpc.batch([headerRequest(to), ...part.map((filter) => ['eth_getLogs', [filter]] as const)]),
    ),
  ).catch((error: unknown) => {
    throw isBatchRefused(error) ? batchUnavailable(chain, error) : error
  })
  const tips = new Set(given.map(([block]) => hashOf(block, to)))
  const [hash] = tips
  if (hash === undefined || tips.size > 1)
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${rpc.host} returns logs of ${network.name} up to block ${to}, which it does not have; it may lag behind`,
      { details: { network: network.name, block: to.toString() } },
    )
  const logs = given.flatMap(([, ...answers]) =>
    answers.flatMap((some) => {
      if (!Array.isArray(some) || some.some((log) => !isValidLog(log, from, to)))
        throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} returns invalid logs`)
      return some as RpcLog[]
    }),
  )
  return { tip: { number: to, hash }, logs }
}

const isBatchRefused = (error: unknown): boolean =>
  error instanceof AppError && error.details?.fault === 'batch'

/** The hash of a block with this number. Some nodes return their newest block instead of one they lack. */
function hashOf(block: unknown, number: bigint): string | undefined {
  const { hash, number: stated } = (block ?? {}) as { hash?: string; number?: string }
  const isSaid = stated !== undefined && /^0x[0-9a-f]+$/i.test(stated) && BigInt(stated) === number
  return isSaid ? hash : undefined
}

/** Whether a log is of these blocks and still valid. Removed logs, and logs of other blocks, are not. */
function isValidLog(log: RpcLog | null, from: bigint, to: bigint): boolean {
  if (log === null || typeof log !== 'object' || log.removed || !/^0x[0-9a-f]+$/i.test(log.blockNumber))
    return false
  const block = BigInt(log.blockNumber)
  return block >= from && block <= to && Array.isArray(log.topics) && typeof log.data === 'string'
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Whether a node refused the range, with any message, or the answer was larger than our limit. A smaller range may work. */
function isRangeRefused(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  // Smaller ranges are more requests, which do not help against a rate limit.
  if (isRateLimitText(String(error.details?.message ?? ''))) return false
  return (
    error.code === 'RPC_ERROR' || (error.code === 'RPC_UNREACHABLE' && error.details?.fault === 'too-large')
  )
}

/** The range limit in a node's message: "up to a 500 block range", "limited to a 10,000 range", "try with this block range [0x1, 0x64]". */
export function statedRangeLimit({ details }: AppError): bigint | undefined {
  const words = String(details?.message ?? '')
  const pair = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i.exec(words)
  if (pair) {
    const size = BigInt(pair[2]!) - BigInt(pair[1]!) + 1n
    return size > 0n ? size : undefined
  }
  // The allowed size is preferred to the requested one. A decimal fraction, or a number in a link, is neither.
  const found = /\b(block|range)/i.test(words)
    ? (/(?:limit|max|exceed|up to|within|at most)[^0-9/.]{0,40}(?<![.\d/])([0-9][0-9,_]*)(?![.\d])\s*(k)?\b/i.exec(
        words,
      ) ?? /(?<![.\d/])([0-9][0-9,_]*)(?![.\d])\s*(k)?[\s-]*blocks?\b/i.exec(words))
    : null
  if (!found || /result|logs/i.test(words.slice(found.index, found.index + found[0].length + 12)))
    return undefined
  const size = BigInt(found[1]!.replace(/[,_]/g, '')) * (found[2] ? 1_000n : 1n)
  return size > 0n ? size : undefined
}
