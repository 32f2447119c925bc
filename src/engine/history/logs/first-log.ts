import { keccak256, stringToBytes } from 'viem/utils'
import { read as ask, type Chain, latestBlock } from '../../../chain/chain.ts'
import type { Reading } from '../../../chain/reading.ts'
import { AppError } from '../../../domain/errors.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import type { Sought } from '../../../swaps/cctp-v2/delivery.ts'
import { writeInBackground } from '../../background-writes.ts'
import { type BlockId, hashesOf, newRangeBudget, readLogPieces } from './block-ranges.ts'
import type { RpcLog } from './log-filters.ts'

/** What one look may cost: so many ranges, and so long, in ms. Whoever looks again goes on where this one ended. */
const searchLimits = { ranges: 120, ms: 8_000 }
/** What was looked through is remembered once it is so many blocks, and where it was not all. */
const minProgressBlocks = 1_000n

/**
 * The first log that is sought, from a block on, in ranges that the node takes. `undefined` where there is none yet, or where the
 * node did not get so far, or does not say: the next look knows more. A node may lack logs without a word: where the contract says that
 * there is one and none was given up to the newest block, all is read anew the next time.
 */
export async function findFirstLog(
  { store, now }: { store: EngineStore; now: () => number },
  chain: Chain,
  { query, isThere }: Sought,
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
    if (!(error instanceof AppError && toleratedErrors.includes(error.code))) throw error
  } finally {
    const next =
      read && (!isAll || read.number - from >= minProgressBlocks) ? `${read.number} ${read.hash}` : undefined
    const isMissed = isAll && (mark || next) ? await contractHasIt(chain, isThere) : false
    if (isMissed && mark) await writeInBackground(store.storeFact(chainId, name, clearedMark))
    else if (next && isMissed === false) await writeInBackground(store.storeFact(chainId, name, next))
  }
  return undefined
}

/** A mark that was forgotten. */
const clearedMark = ''

/** What a contract says; `undefined` where nobody can be asked. */
async function contractHasIt(chain: Chain, isThere: Reading<boolean>): Promise<boolean | undefined> {
  try {
    return await ask(chain, isThere)
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  }
}

/** A node that refuses, that is behind, or that has too many blocks for one look. */
const toleratedErrors = ['RPC_ERROR', 'RPC_INCONSISTENT', 'HISTORY_UNREAD']

/** How far it was read, if that block is still of this chain. */
async function validMark(chain: Chain, kept: string | undefined): Promise<BlockId | undefined> {
  if (kept === undefined || kept === clearedMark) return undefined
  const [number, hash] = kept.split(' ') as [string, string]
  const tip = { number: BigInt(number), hash }
  return (await hashesOf(chain, [tip.number])).get(tip.number) === hash ? tip : undefined
}
