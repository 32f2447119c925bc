import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Chain } from '../chain.ts'
import type { RpcLog } from './filters.ts'

/** Logs with the times of their blocks, which not every node puts into them. */
export async function stamped({ rpc }: Chain, logs: readonly RpcLog[]): Promise<RpcLog[]> {
  const missing = [
    ...new Set(logs.flatMap((log) => (log.blockTimestamp === undefined ? [log.blockNumber] : []))),
  ]
  if (missing.length === 0) return [...logs]
  const blocks = (await rpc.batch(missing.map((number) => ['eth_getBlockByNumber', [number, false]]))) as ({
    timestamp: Hex
  } | null)[]
  const times = new Map(
    missing.map((number, at) => {
      const block = blocks[at]
      if (!block)
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not know the block of a log it gave`,
        )
      return [number, block.timestamp] as const
    }),
  )
  return logs.map((log) => ({ ...log, blockTimestamp: log.blockTimestamp ?? times.get(log.blockNumber)! }))
}
