import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** So many blocks are asked for at first; then twice as many each time, up to what a node refuses. One that refuses the least gives no logs. */
const usualSizes = { first: 5_000, most: 100_000, least: 500 }
/** So often a node is asked, at most. */
const mostPieces = 40

/**
 * The newest log that a filter fits, looked for piece by piece from the newest block back to one that was made before
 * `since` (Unix s). `undefined` where there is none, or where the node gives no logs.
 */
export async function logBack(
  rpc: Rpc,
  filter: { address: Address; topics: readonly (Hex | null)[] },
  since: number,
  sizes = usualSizes,
): Promise<{ transactionHash: Hex } | undefined> {
  let to = Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
  let { first: size, most } = sizes
  for (let piece = 0; piece < mostPieces; piece++) {
    const from = Math.max(0, to - size + 1)
    const [fromBlock, toBlock] = [hexQuantity(from), hexQuantity(to)]
    try {
      const logs = await rpc.request<{ transactionHash: Hex }[]>('eth_getLogs', [
        { ...filter, fromBlock, toBlock },
      ])
      const found = logs.at(-1)
      if (found) return found
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RPC_ERROR' || size <= sizes.least) throw error
      most = size = Math.max(sizes.least, Math.floor(size / 4))
      continue
    }
    const block = await rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [fromBlock, false])
    if (from === 0 || Number(quantity(block?.timestamp, 'the time of a block')) < since) return undefined
    to = from - 1
    size = Math.min(2 * size, most)
  }
  return undefined
}
