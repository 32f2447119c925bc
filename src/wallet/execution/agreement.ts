import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { within } from '../chain/within.ts'
import { findOnChain } from './watch.ts'

/** What keeps what is in a block from being final that lies deep enough for `by`: that `host` does not have the block, or not so deep, has another one there, shows something else in it, or answers with an error. */
export type Disagreement = {
  host: string
  by: string
  blockNumber: number
  has: 'nothing' | 'too little after' | 'another' | 'something else' | 'an error'
}

/** A transaction in a block, as one endpoint shows it, with its end where it has a receipt of that; without `hash` only the block is meant. `isDeep` says whether the block is for an endpoint. */
export type Shown = {
  blockNumber: number
  blockHash: string
  hash?: Hex
  ok?: boolean
  isDeep: (rpc: Rpc) => Promise<boolean>
}

/** How long an endpoint has to say whether it agrees, in ms. */
export const agreeMs = 15_000

/** The same in a run that may take so long, in ms: as much at its end as at its beginning, so that nobody is passed over for want of time. */
export const longestFor = (timeoutMs: number): number => Math.max(3_000, Math.min(agreeMs, timeoutMs / 4))

/**
 * The other endpoint that does not show the same, where it answers. One that lags behind does not agree yet; one that keeps no receipts that old
 * may leave them out; one that is down, or does not answer in time, says nothing, and holds nothing up.
 */
export async function disagreement(
  rpc: Rpc,
  shown: Shown,
  mostMs: number,
): Promise<Disagreement | undefined> {
  const { blockNumber } = shown
  const said = await Promise.all(
    rpc.peers.map(async (peer): Promise<Disagreement | undefined> => {
      const about = { host: peer.host, by: rpc.host, blockNumber }
      try {
        const has = await within(unlike(peer, shown), mostMs)
        return has && { ...about, has }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return error.code === 'RPC_UNREACHABLE' ? undefined : { ...about, has: 'an error' }
      }
    }),
  )
  return said.find((one) => one !== undefined)
}

type Block = { hash?: string; transactions?: unknown }

async function unlike(
  rpc: Rpc,
  { blockNumber, blockHash, hash, ok, isDeep }: Shown,
): Promise<Disagreement['has'] | undefined> {
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [hexQuantity(blockNumber), false])
  if (!block) return 'nothing'
  if (!sameAddress(block.hash ?? '', blockHash)) return 'another'
  if (!(await isDeep(rpc))) return 'too little after'
  if (hash === undefined) return undefined
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  if (Array.isArray(transactions) && !transactions.some(isIn)) return 'something else'
  if (ok === undefined) return undefined
  const found = await findOnChain(rpc, hash).catch((error: unknown) => {
    // Who has the block, and it in it, need not keep receipts.
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  })
  return found && found.ok !== ok ? 'something else' : undefined
}

/** The same in words, as a part of a sentence. */
export function disagreementText({ host, by, blockNumber, has }: Disagreement): string {
  const block = `block ${blockNumber}`
  const what = {
    nothing: `${host} does not have ${block}, which ${by} has`,
    'too little after': `${host} has fewer blocks after ${block} than ${by}`,
    another: `${host} and ${by} have different blocks ${blockNumber}`,
    'something else': `${host} and ${by} show different things in ${block}`,
    'an error': `${host} gives an error for ${block}`,
  }
  return `${what[has]}, and final is what all endpoints have`
}

/** What helps where that does not go away, by the setting that names the endpoints: whoever is behind, or fails, is left out; of two that differ only one is right. */
export const disagreementWay = ({ host, by, has }: Disagreement, setting: string): string =>
  has === 'another' || has === 'something else'
    ? `Look which of ${host} and ${by} is right, and leave the other one out of ${setting}`
    : `If it stays so, leave ${host} out of ${setting}`
