import type { StrategyEntry } from '../domain/catalog.ts'
import { lidoQueue } from './lido-queue.ts'
import type { Queue } from './queue.ts'

/** The queue of a market that pays out later; `undefined` where a withdrawal pays at once. */
export function queueOf({ constants, chainId }: StrategyEntry): Queue | undefined {
  switch (constants.family) {
    case 'lido':
      return lidoQueue(chainId, constants)
    default:
      return undefined
  }
}
