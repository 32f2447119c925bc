import type { StrategyEntry } from '../domain/catalog.ts'
import { ethenaQueue } from './ethena.ts'
import { lidoQueue } from './lido-queue.ts'
import type { Queue } from './queue.ts'
import { listaQueue, savaxQueue, staderQueue } from './staked-queues.ts'
import { stakewiseQueue } from './stakewise-queue.ts'
import { etherFiQueue, fraxQueue } from './ticket-queues.ts'

/** The queue of a market that pays out later; `undefined` where a withdrawal pays at once. */
export function queueOf({ constants, chainId }: StrategyEntry): Queue | undefined {
  switch (constants.family) {
    case 'lido':
      return lidoQueue(chainId, constants)
    case 'ethena':
      return ethenaQueue(chainId, constants)
    case 'stader':
      return staderQueue(chainId, constants)
    case 'lista':
      return listaQueue(chainId, constants)
    case 'benqi-staking':
      return savaxQueue(chainId, constants)
    case 'ether-fi':
      return etherFiQueue(chainId, constants)
    case 'frax-ether':
      return fraxQueue(chainId, constants)
    case 'stakewise':
      return stakewiseQueue(chainId, constants)
    default:
      return undefined
  }
}
