import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { answersOfNodes } from '../ask-all-nodes.ts'
import type { ChainClient } from '../chain-client.ts'
import { readHeader } from '../head.ts'
import { isUnsupportedMethod } from '../rpc/errors.ts'
import { isDeadlineFault, withTimeout } from '../rpc/timeouts.ts'
import { findTransaction } from './find-mined-transaction.ts'

/**
 * Why a transaction in a block that is deep enough for `by` is not final: `host` lacks the block, has fewer blocks after it, has
 * another block, shows something else in it, or fails.
 */
export type Disagreement = {
  host: string
  by: string
  blockNumber: number
  has: 'nothing' | 'too little after' | 'another' | 'something else' | 'an error' | 'no answer yet'
}

/**
 * A transaction in a block as the endpoint `by` shows it, with its status if it has the receipt; without `hash`, only the block.
 */
export type ShownInclusion = {
  blockNumber: number
  blockHash: string
  by: string
  hash?: Hex
  ok?: boolean
  /** The newest block of that endpoint in the same look. */
  head?: number
}

/** How long another endpoint may take to agree, in ms: in a run, and for a mere look-up. */
export const [quorumTimeoutMs, lookupTimeoutMs] = [15_000, 3_000]

/** The same for a run with this timeout, in ms. */
export const quorumTimeoutFor = (timeoutMs: number): number =>
  Math.max(3_000, Math.min(quorumTimeoutMs, timeoutMs / 4))

/**
 * Finds an endpoint that disagrees; `isDeep` says whether the block is deep enough for it. An endpoint that lags does not agree
 * yet. It may omit receipts that old. One that is down, does not support the request, or is too slow is ignored, unless the run's
 * deadline cut it short. The answering endpoint is asked too: the data may come from one that is down by now.
 */
export async function findDisagreement(
  rpc: ChainClient,
  shown: ShownInclusion,
  isDeep: (rpc: ChainClient) => Promise<boolean>,
  mostMs: number,
): Promise<Disagreement | undefined> {
  const { blockNumber, by } = shown
  const { peers } = rpc
  const said = await Promise.all(
    (peers.length === 0 ? [] : [rpc, ...peers]).map(async (one): Promise<Disagreement | undefined> => {
      const about = { host: one.host, by, blockNumber }
      try {
        const has = await withTimeout(compareInclusion(one, shown, isDeep), mostMs)
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

async function compareInclusion(
  rpc: ChainClient,
  { blockNumber, blockHash, hash, ok }: ShownInclusion,
  isDeep: (rpc: ChainClient) => Promise<boolean>,
): Promise<Disagreement['has'] | undefined> {
  const seeing = readHeader(rpc, blockNumber)
  // Asked beside the block, and awaited after it.
  const depth = isDeep(rpc)
  const finding =
    hash === undefined || ok === undefined ? undefined : findTransaction(rpc, hash, undefined, blockNumber)
  for (const one of [depth, finding]) one?.catch(() => undefined)
  const block = await seeing
  if (!block) return 'nothing'
  if (!sameAddress(String(block.hash), blockHash)) return 'another'
  if (!(await depth)) return 'too little after'
  if (hash === undefined) return undefined
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  if (Array.isArray(transactions) && !transactions.some(isIn)) return 'something else'
  const found = await finding?.catch((error: unknown) => {
    // A node that has the block and lists the transaction need not keep receipts.
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  })
  return found && found.ok !== ok ? 'something else' : undefined
}

/** The disagreement as part of a sentence. */
export function disagreementText({ host, by: shownBy, blockNumber, has }: Disagreement): string {
  const block = `block ${blockNumber}`
  // Two endpoints with one host name: the message tells them apart by what is not shown.
  const by = shownBy === host ? 'another endpoint there' : shownBy
  const what = {
    nothing: `${host} does not have ${block}, which ${by} has`,
    'too little after': `${host} has fewer blocks after ${block} than ${by}`,
    another: `${host} and ${by} have different blocks ${blockNumber}`,
    'something else': `${host} and ${by} show different transactions in ${block}`,
    'an error': `${host} gives an error for ${block}`,
    'no answer yet': `${host} did not answer in time about ${block}`,
  }
  return `${what[has]}; a block is final only if all endpoints have it`
}

/**
 * What to do if the disagreement stays, naming the setting of the endpoints: remove the one that lags or fails; of two that differ,
 * find the wrong one.
 */
export function disagreementHint({ host, by, has }: Disagreement, setting: string): string {
  if (has === 'no answer yet') return `Allow more time, or remove ${host} from ${setting}`
  const both = by === host ? `the endpoints at ${host}` : `${host} and ${by}`
  return has === 'another' || has === 'something else'
    ? `Find out which of ${both} is right, and remove the other one from ${setting}`
    : `If this persists, remove ${host} from ${setting}`
}

/** Whether the answering nodes agree on yes: at least one says so, and none says no. A slow or silent node is ignored. */
export async function allNodesConfirm(
  client: ChainClient,
  ask: (node: ChainClient) => Promise<boolean>,
  mostMs: number,
): Promise<boolean> {
  const answers = await answersOfNodes(client, ask, mostMs)
  return answers.length > 0 && !answers.includes(false)
}
