import type { Rpc } from '../../../net/rpc.ts'
import type { Attempt, Step } from '../../../store/operation.ts'
import { ifAnswered } from '../../chain/within.ts'
import { type Seen, whoUsed } from '../nonce-use.ts'
import { isSame, type Shown } from '../pinned.ts'
import type { Run } from '../run.ts'
import { findStep } from '../watch.ts'

/** So many of the newest are looked at, and so many blocks are read at most for what has the nonce of one. */
const most = 8
const mostBlocks = 64

/**
 * Notes, before a step is signed, where the very same of another action came to nothing by what the chain shows, and nobody followed that to its end: it
 * reverted, was cancelled, or lost its nonce to something else. The step may be that done anew; were the other sent again after a
 * reorganisation, it would be done twice. What is not shown is noted nowhere. Under the lock of the wallet.
 */
export async function notePassed(run: Run, { wallet, transaction }: Step): Promise<void> {
  const { journal, operationId, rpc } = run
  const { chainId } = transaction
  const others = journal
    .inTheAir(chainId, wallet)
    .filter(({ operation }) => operation !== operationId)
    .flatMap(({ operation, index }) => {
      const step = journal.find(operation)?.steps.find((one) => one.index === index)
      return step && isSame(shownAs(step), transaction) ? [{ operation, step }] : []
    })
    .toSorted((a, b) => b.step.nonce! - a.step.nonce!)
    .slice(0, most)
  if (others.length === 0) return
  const node = rpc(chainId)
  await Promise.all(
    others.map(async ({ operation, step }) => {
      const attempts = journal.attempts(operation, step.index)
      if (await ifAnswered(hasComeToNothing(node, step, attempts))) journal.notePassed(operation, step.index)
    }),
  )
}

const shownAs = ({ transaction: { to, data, value } }: Step): Shown => ({
  to,
  input: data,
  value: `0x${value.toString(16)}`,
})

async function hasComeToNothing(node: Rpc, step: Step, attempts: readonly Attempt[]): Promise<boolean> {
  const { wallet, nonce, fromBlock, transaction } = step
  const found = await findStep(node, step, attempts)
  if (found) return !found.ok || attempts.find(({ hash }) => hash === found.hash)?.kind === 'cancel'
  if (nonce === null) return false
  const use = await whoUsed<Seen & Shown>(node, wallet, nonce, { from: fromBlock ?? 0, most: mostBlocks })
  if (use.is !== 'used' || attempts.some(({ hash }) => hash === use.transaction.hash)) return false
  return !isSame(use.transaction, transaction)
}
