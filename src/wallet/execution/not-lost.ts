import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import { ifAnswered } from '../chain/within.ts'
import { standing } from './standing.ts'
import { findStep } from './watch.ts'

type Place = { journal: Journal; rpc: (chainId: number) => Rpc }

/**
 * Looks whether a step that the journal holds for lost is on the chain after all, as a reorganisation can make it: then the step waits again, to be
 * followed to its end. Gives whether there was one. A node that does not answer, or does not show it, is no proof of anything.
 */
export async function regainFound(place: Place, operationId: string): Promise<boolean> {
  const found = await foundOf(place, operationId)
  return found.length > 0 && place.journal.regain(operationId, found, 'it is on the chain')
}

/** The steps that the journal holds for lost and of which an attempt is on the chain, by their indexes. Nothing is written. */
export async function foundOf({ journal, rpc }: Place, operationId: string): Promise<number[]> {
  const operation = journal.find(operationId)
  if (operation?.state !== 'ATTENTION') return []
  const found: number[] = []
  for (const step of standing(operation)) {
    const { state, nonce, wallet, index, transaction } = step
    if (state !== 'SUPERSEDED' || nonce === null) continue
    if (journal.holderOf(transaction.chainId, wallet, nonce)) continue
    const attempts = journal.attempts(operationId, index)
    if (await ifAnswered(findStep(rpc(transaction.chainId), step, attempts))) found.push(index)
  }
  return found
}
