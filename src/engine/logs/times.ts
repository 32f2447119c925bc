import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Chain } from '../chain.ts'
import type { RpcLog } from './filters.ts'

/** Whether a log says when it was: some nodes leave the time of its block out, or put zero or null there. */
export const isStamped = ({ blockTimestamp }: Pick<RpcLog, 'blockTimestamp'>): boolean =>
  isTime(blockTimestamp)

const isTime = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) && Number(value) > 0

/** Logs with the times of their blocks, which not every node puts into them. */
export async function stamped({ rpc }: Chain, logs: readonly RpcLog[]): Promise<RpcLog[]> {
  const missing = [...new Set(logs.flatMap((log) => (isStamped(log) ? [] : [log.blockNumber])))]
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
      if (!isTime(block.timestamp))
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${rpc.host} does not say when block ${BigInt(number)} was`,
        )
      return [number, block.timestamp] as const
    }),
  )
  return logs.map((log) => (isStamped(log) ? log : { ...log, blockTimestamp: times.get(log.blockNumber)! }))
}
