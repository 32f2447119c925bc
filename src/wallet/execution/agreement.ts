import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** What keeps a block from being final that lies deep enough: that node does not have it, has another one there, or answers with an error. */
export type Disagreement = { host: string; blockNumber: number; has: 'nothing' | 'another' | 'an error' }

/** The other endpoint that does not have the same block at that height, where it answers. One that lags behind does not agree yet. */
export async function disagreement(
  { peers }: Rpc,
  blockNumber: number,
  blockHash: string,
): Promise<Disagreement | undefined> {
  const said = await Promise.all(
    peers.map(async (peer): Promise<Disagreement | undefined> => {
      try {
        const at = [hexQuantity(blockNumber), false]
        const block = await peer.request<{ hash?: string } | null>('eth_getBlockByNumber', at)
        if (block?.hash?.toLowerCase() === blockHash.toLowerCase()) return undefined
        return { host: peer.host, blockNumber, has: block ? 'another' : 'nothing' }
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

const does = {
  nothing: 'does not have',
  another: 'has another',
  'an error': 'gives an error for',
} as const

/** The same in words, as a part of a sentence. */
export const disagreementText = ({ host, blockNumber, has }: Disagreement): string =>
  `${host} ${does[has]} block ${blockNumber}, and final is what all endpoints have`
