import { keccak256, stringToBytes } from 'viem/utils'
import { ask } from '../../../chain/ask.ts'
import { latestBlock } from '../../../chain/head.ts'
import type { Chain } from '../../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../../chain/rpc/timeouts.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import type { EventSearch } from '../../../swaps/provider-dependencies.ts'
import { writeInBackground } from '../../best-effort-write.ts'
import { isUnread } from '../../undefined-if-unread.ts'
import type { LogQuery, RpcLog } from './log-filters.ts'
import { type BlockId, hashesOf, newRangeBudget, readLogPieces } from './ranged-log-reader.ts'

/** The limits of one search: ranges, and duration in ms. The next search continues where it ended. */
const searchLimits = { ranges: 120, ms: 8_000 }
/** Progress is stored if the search was incomplete, or covered at least this many blocks. */
const minProgressBlocks = 1_000n

/**
 * Finds the first log that matches a query, from a block on. `undefined` if there is none yet, or if the node did not answer for all
 * blocks; a later search continues. A node may omit logs without an error: if the contract says that the log exists and none was found up
 * to the newest block, the next search starts over.
 */
export async function findFirstLog(
  { store, now }: { store: EngineStore; now: () => number },
  chain: Chain,
  { query, existsRead }: EventSearch,
  fromBlock: bigint,
): Promise<RpcLog | undefined> {
  const { chainId, depth } = chain.network
  const name = `none-up-to ${keccak256(stringToBytes(JSON.stringify([query, fromBlock.toString()]).toLowerCase()))}`
  const mark = await validMark(chain, await store.fact(chainId, name))
  const from = mark ? mark.number + 1n : fromBlock
  const { number: head } = await latestBlock(chain)
  let read: BlockId | undefined
  let isAll = false
  try {
    for await (const { tips, logs } of readLogPieces(
      chain,
      [query],
      { from, to: head },
      newRangeBudget(now, searchLimits),
    )) {
      if (logs[0]) return logs[0]
      read = tips.findLast(({ number }) => number + BigInt(depth) <= head + 1n) ?? read
    }
    isAll = true
  } catch (error) {
    if (!isUnread(error)) throw error
  } finally {
    const next =
      read && (!isAll || read.number - from >= minProgressBlocks) ? `${read.number} ${read.hash}` : undefined
    const isMissed = isAll && (mark || next) ? await undefinedIfUnanswered(ask(chain, existsRead)) : false
    if (isMissed && mark) await writeInBackground(store.storeFact(chainId, name, clearedMark))
    else if (next && isMissed === false) await writeInBackground(store.storeFact(chainId, name, next))
  }
  return undefined
}

/**
 * Reads all logs that match a query, from a block on, oldest first. `isAll`: the node answered for all blocks up to
 * the newest, within the limits of one search; the next search starts over.
 */
export async function findLogs(
  now: () => number,
  chain: Chain,
  query: LogQuery,
  from: bigint,
): Promise<{ logs: RpcLog[]; isAll: boolean }> {
  const { number: to } = await latestBlock(chain)
  const logs: RpcLog[] = []
  try {
    for await (const piece of readLogPieces(chain, [query], { from, to }, newRangeBudget(now, searchLimits)))
      logs.push(...piece.logs)
    return { logs, isAll: true }
  } catch (error) {
    if (!isUnread(error)) throw error
    return { logs, isAll: false }
  }
}

/** The stored value of a discarded mark. */
const clearedMark = ''

/** How far the search has read, if that block is still canonical. */
async function validMark(chain: Chain, stored: string | undefined): Promise<BlockId | undefined> {
  if (stored === undefined || stored === clearedMark) return undefined
  const [number, hash] = stored.split(' ') as [string, string]
  const tip = { number: BigInt(number), hash }
  return (await hashesOf(chain, [tip.number])).get(tip.number) === hash ? tip : undefined
}
