import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Step } from '../../store/operation.ts'
import { regainFound } from './not-lost.ts'

const final: readonly Step['state'][] = ['FINAL_OK', 'FINAL_REVERTED', 'CANCELLED']

/**
 * Looks whether the chains still say what the journal holds for settled, and opens the operation again where they do not: `gone` where a
 * final block is not there any more, `found` where what was taken for lost is there.
 */
export async function reopenWrong(
  place: { journal: Journal; rpc: (chainId: number) => Rpc },
  operationId: string,
): Promise<'gone' | 'found' | undefined> {
  if (await reopenGone(place, operationId)) return 'gone'
  return (await regainFound(place, operationId)) ? 'found' : undefined
}

/**
 * Looks whether the blocks in which steps became final are still on their chain. A reorganisation that was deeper than
 * what counted as final opens the operation again; gives whether it did. A node that does not answer, or does not have
 * that height, is no proof of anything.
 */
export async function reopenGone(
  { journal, rpc }: { journal: Journal; rpc: (chainId: number) => Rpc },
  operationId: string,
): Promise<boolean> {
  const operation = journal.find(operationId)
  if (!operation || operation.state === 'DROPPED') return false
  if (operation.state === 'CANCELLED' && operation.exit !== 24) return false
  const gone: Step[] = []
  for (const step of operation.steps)
    if (final.includes(step.state) && (await isGone(rpc(step.transaction.chainId), step))) gone.push(step)
  if (gone.length === 0) return false
  journal.reopen(
    operationId,
    gone.map(({ index }) => index),
    'a deep reorganisation took its block away',
  )
  return true
}

/** Two looks that both show another block at the height of a step that was final. */
export async function isGone(rpc: Rpc, { inclusion }: Step): Promise<boolean> {
  if (!inclusion) return false
  const look = () =>
    rpc
      .request<{ hash?: string } | null>('eth_getBlockByNumber', [hexQuantity(inclusion.blockNumber), false])
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code.startsWith('RPC_')) return null
        throw error
      })
  for (let looked = 0; looked < 2; looked++) {
    const hash = (await look())?.hash
    if (hash === undefined || sameAddress(hash, inclusion.blockHash)) return false
  }
  return true
}
