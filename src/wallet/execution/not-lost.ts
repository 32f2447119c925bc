import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Step } from '../../store/operation.ts'
import { asStep } from './foreign/signed-elsewhere.ts'
import { minedElsewhere } from './nonce-owner.ts'
import { standing } from './standing.ts'

type Place = { journal: Journal; rpc: (chainId: number) => Rpc }

/**
 * Looks whether what has the nonce of a step that the journal holds for lost is the step itself, sent elsewhere, as earlier versions did
 * not ask: then the step waits again, to be followed to its end as it is on the chain. Gives whether there was one. A node that does not
 * answer, or does not show it, is no proof of anything.
 */
export async function regainFound(place: Place, operationId: string): Promise<boolean> {
  const found = await foundOf(place, operationId)
  return found.length > 0 && place.journal.regain(operationId, found, 'what has its nonce is the step itself')
}

/** The steps that the journal holds for lost and that are on the chain, by their indexes. Nothing is written. */
export async function foundOf(place: Place, operationId: string): Promise<number[]> {
  const { journal, rpc } = place
  const operation = journal.find(operationId)
  if (operation?.state !== 'ATTENTION') return []
  const found: number[] = []
  for (const step of standing(operation))
    if (
      step.state === 'SUPERSEDED' &&
      (await isItself(place, operationId, step, rpc(step.transaction.chainId)))
    )
      found.push(step.index)
  return found
}

/** Whether the transaction that has the nonce of a step is the very step, and of no other operation: as the journal has it, else as the node says. */
async function isItself({ journal }: Place, id: string, step: Step, rpc: Rpc): Promise<boolean> {
  const { wallet, nonce, transaction, index } = step
  if (nonce === null || journal.holderOf(transaction.chainId, wallet, nonce)) return false
  const owner = journal
    .events(id)
    .findLast((event) => event.index === index && event.becomes === 'SUPERSEDED')
  try {
    // What took a nonce may be no transaction.
    const hash = owner && /^0x[0-9a-f]{64}$/i.test(owner.why) && (owner.why as Hex)
    const known = hash ? await asStep(rpc, step, { hash, blockNumber: null }) : undefined
    if (known) return known !== 'another'
    return (await minedElsewhere(rpc, step, [])) !== undefined
  } catch (error) {
    if (error instanceof AppError && /^RPC_|^CHAIN_ID/.test(error.code)) return false
    throw error
  }
}
