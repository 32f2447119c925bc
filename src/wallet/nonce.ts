import { setTimeout as sleep } from 'node:timers/promises'

import { AppError } from '../domain/errors.ts'
import { quantity } from '../net/quantity.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Journal } from '../store/journal-words.ts'
import type { Step } from '../store/operation.ts'
import { type Head, readHead } from './fees.ts'

/** How far a node may fall behind what was seen before, in blocks. */
const maxFallBack = 3

/** What taking a nonce needs. */
export type NonceQuestion = { journal: Journal; operationId: string; step: Step; rpc: Rpc }

async function counts(rpc: Rpc, step: Step): Promise<{ latest: number; pending: number }> {
  const [latest, pending] = await rpc.batch([
    ['eth_getTransactionCount', [step.wallet, 'latest']],
    ['eth_getTransactionCount', [step.wallet, 'pending']],
  ])
  return {
    latest: Number(quantity(latest, 'the nonce')),
    pending: Number(quantity(pending, 'the pending nonce')),
  }
}

/**
 * Gives a step its nonce, written down, or confirms the one that it has. Under the lock of the wallet. Gives back the
 * newest block, or nothing when the reserved nonce was used by somebody and was given back.
 * A node on another chain, or one that went back in time, is refused here, before anything is signed.
 */
export async function takeNonce(question: NonceQuestion): Promise<Head | undefined> {
  const { journal, operationId, step, rpc } = question
  const { chainId } = step.transaction
  const head = await readHead(rpc, chainId)
  const seen = journal.head(chainId)
  if (seen && Number(head.number) < seen.number - maxFallBack)
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${rpc.host} is at block ${head.number}, and block ${seen.number} was seen before`,
    )
  const { latest } = await counts(rpc, step)
  if (step.nonce !== null) {
    if (latest <= step.nonce) return head
    journal.release(operationId, step.index, `nonce ${step.nonce} is used`)
    return undefined
  }
  const nonce = Math.max(latest, journal.nextNonce(chainId, step.wallet))
  await refuseGap(rpc, step, nonce)
  journal.sawHead(chainId, Number(head.number), head.hash)
  journal.reserve(operationId, step.index, nonce, Number(head.number))
  return head
}

/**
 * A nonce is only taken when the node has everything before it and nothing at it: else the transaction would hang
 * behind one that is missing, or fight one that is not ours.
 */
async function refuseGap(rpc: Rpc, step: Step, nonce: number): Promise<void> {
  for (let tried = 1; ; tried++) {
    const { pending } = await counts(rpc, step)
    if (pending === nonce) return
    if (tried < 20) {
      await sleep(50)
      continue
    }
    throw new AppError(
      'FOREIGN_PENDING',
      pending > nonce
        ? `Another transaction of ${step.wallet} is waiting on chain ${step.transaction.chainId}`
        : `An earlier operation of ${step.wallet} is signed and has not reached chain ${step.transaction.chainId}`,
      {
        details: { pending, nonce },
        ...(pending < nonce ? { hint: 'sluice action list, then: sluice action resume ID' } : {}),
      },
    )
  }
}
