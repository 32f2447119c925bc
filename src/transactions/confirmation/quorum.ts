import { hexQuantity } from '../../chain/rpc/answer-numbers.ts'
import { isUnsupportedMethod } from '../../chain/rpc/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { isDeadlineFault, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type Block, findTransaction } from './find-transaction.ts'

/** What keeps what is in a block from being final that lies deep enough for `by`: that `host` does not have the block, or not so deep, has another one there, shows something else in it, or answers with an error. */
export type Disagreement = {
  host: string
  by: string
  blockNumber: number
  has: 'nothing' | 'too little after' | 'another' | 'something else' | 'an error' | 'no answer yet'
}

/** A transaction in a block, as the endpoint at `by` shows it, with its end where it has a receipt of that; without `hash` only the block is meant. */
export type ShownInclusion = {
  blockNumber: number
  blockHash: string
  by: string
  hash?: Hex
  ok?: boolean
}

/** How long an endpoint has to say whether it agrees, in ms; and where nothing is signed for it and somebody waits. */
export const [quorumTimeoutMs, lookupTimeoutMs] = [15_000, 3_000]

/** The same in a run that may take so long, in ms. */
export const quorumTimeoutFor = (timeoutMs: number): number =>
  Math.max(3_000, Math.min(quorumTimeoutMs, timeoutMs / 4))

/**
 * The endpoint that does not show the same, where it answers; `isDeep` says whether the block is for it. One that lags behind does not agree yet; one
 * that keeps no receipts that old may leave them out; one that is down, does not take the question, or does not answer in time, says nothing, and holds nothing up, unless the time
 * of the run cut it short. Who answers now is asked with the others: what is to be believed may be of one that is down meanwhile.
 */
export async function findDisagreement(
  rpc: Rpc,
  shown: ShownInclusion,
  isDeep: (rpc: Rpc) => Promise<boolean>,
  mostMs: number,
): Promise<Disagreement | undefined> {
  const { blockNumber, by } = shown
  const { peers } = rpc
  const said = await Promise.all(
    (peers.length === 0 ? [] : [rpc, ...peers]).map(async (one): Promise<Disagreement | undefined> => {
      const about = { host: one.host, by, blockNumber }
      try {
        const has = await withTimeout(unlike(one, shown, isDeep), mostMs)
        return has && { ...about, has }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (isDeadlineFault(error)) return { ...about, has: 'no answer yet' }
        const isSilent = error.code === 'RPC_UNREACHABLE' || isUnsupportedMethod(error)
        return isSilent ? undefined : { ...about, has: 'an error' }
      }
    }),
  )
  return said.find((one) => one !== undefined)
}

async function unlike(
  rpc: Rpc,
  { blockNumber, blockHash, hash, ok }: ShownInclusion,
  isDeep: (rpc: Rpc) => Promise<boolean>,
): Promise<Disagreement['has'] | undefined> {
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [hexQuantity(blockNumber), false])
  if (!block) return 'nothing'
  if (!sameAddress(String(block.hash), blockHash)) return 'another'
  if (!(await isDeep(rpc))) return 'too little after'
  if (hash === undefined) return undefined
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  if (Array.isArray(transactions) && !transactions.some(isIn)) return 'something else'
  if (ok === undefined) return undefined
  const found = await findTransaction(rpc, hash).catch((error: unknown) => {
    // Who has the block, and it in it, need not keep receipts.
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  })
  return found && found.ok !== ok ? 'something else' : undefined
}

/** The same in words, as a part of a sentence. */
export function disagreementText({ host, by: shownBy, blockNumber, has }: Disagreement): string {
  const block = `block ${blockNumber}`
  // Two endpoints of one provider are told apart by what is not shown.
  const by = shownBy === host ? 'another endpoint there' : shownBy
  const what = {
    nothing: `${host} does not have ${block}, which ${by} has`,
    'too little after': `${host} has fewer blocks after ${block} than ${by}`,
    another: `${host} and ${by} have different blocks ${blockNumber}`,
    'something else': `${host} and ${by} show different things in ${block}`,
    'an error': `${host} gives an error for ${block}`,
    'no answer yet': `${host} had no time left to say what it has in ${block}`,
  }
  return `${what[has]}, and final is what all endpoints have`
}

/** What helps where that does not go away, by the setting that names the endpoints: whoever is behind, or fails, is left out; of two that differ only one is right. */
export function disagreementHint({ host, by, has }: Disagreement, setting: string): string {
  if (has === 'no answer yet') return `Give it more time (--timeout), or leave ${host} out of ${setting}`
  const both = by === host ? `the endpoints at ${host}` : `${host} and ${by}`
  return has === 'another' || has === 'something else'
    ? `Look which of ${both} is right, and leave the other one out of ${setting}`
    : `If it stays so, leave ${host} out of ${setting}`
}
