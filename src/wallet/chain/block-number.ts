import { quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** The number of the newest block. */
export const blockNumber = async (rpc: Rpc): Promise<number> =>
  Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
