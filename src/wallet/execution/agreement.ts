import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { findOnChain } from './watch.ts'

/** What keeps what is in a block from being final that lies deep enough: that node does not have the block, has another one there, shows something else in it, or answers with an error. */
export type Disagreement = {
  host: string
  blockNumber: number
  has: 'nothing' | 'another' | 'something else' | 'an error'
}

/** A transaction in a block, as one endpoint shows it, with its end where it has a receipt of that; without `hash` only the block is meant. */
export type Shown = { blockNumber: number; blockHash: string; hash?: Hex; ok?: boolean }

/** The other endpoint that does not show the same, where it answers. One that lags behind does not agree yet; one that keeps no receipts that old may leave them out. */
export async function disagreement({ peers }: Rpc, shown: Shown): Promise<Disagreement | undefined> {
  const { blockNumber } = shown
  const said = await Promise.all(
    peers.map(async (peer): Promise<Disagreement | undefined> => {
      try {
        const has = await unlike(peer, shown)
        return has && { host: peer.host, blockNumber, has }
      } catch (error) {
        // An endpoint that is down says nothing, and holds nothing up.
        if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') return undefined
        if (!(error instanceof AppError) || !error.code.startsWith('RPC_')) throw error
        return { host: peer.host, blockNumber, has: 'an error' }
      }
    }),
  )
  return said.find((one) => one !== undefined)
}

type Block = { hash?: string; transactions?: unknown }

async function unlike(
  rpc: Rpc,
  { blockNumber, blockHash, hash, ok }: Shown,
): Promise<Disagreement['has'] | undefined> {
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [hexQuantity(blockNumber), false])
  if (!block) return 'nothing'
  if (!sameAddress(block.hash ?? '', blockHash)) return 'another'
  if (hash === undefined) return undefined
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  if (Array.isArray(transactions) && !transactions.some(isIn)) return 'something else'
  if (ok === undefined) return undefined
  const found = await findOnChain(rpc, hash)
  return found && found.ok !== ok ? 'something else' : undefined
}

const does = {
  nothing: 'does not have',
  another: 'has another',
  'something else': 'shows something else in',
  'an error': 'gives an error for',
} as const

/** The same in words, as a part of a sentence. */
export const disagreementText = ({ host, blockNumber, has }: Disagreement): string =>
  `${host} ${does[has]} block ${blockNumber}, and final is what all endpoints have`
