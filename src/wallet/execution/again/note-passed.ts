import { quantity } from '../../../net/quantity.ts'
import type { Step } from '../../../store/operation.ts'
import type { Run } from '../run.ts'
import { findStep } from '../watch.ts'

/**
 * Notes, before a step is signed, which steps of other actions of its wallet nobody followed to their end and came to nothing by now: they reverted, were cancelled, or
 * lost their nonce. The step may be one of them done anew; were they sent again after a reorganisation, it would be done twice. Under the lock of the wallet.
 */
export async function notePassed(run: Run, { wallet, transaction: { chainId } }: Step): Promise<void> {
  const { journal, rpc, operationId } = run
  const others = journal.inTheAir(chainId, wallet).filter(({ operation }) => operation !== operationId)
  if (others.length === 0) return
  const node = rpc(chainId)
  const count = await node.request('eth_getTransactionCount', [wallet, 'latest'])
  const latest = Number(quantity(count, 'the nonce'))
  for (const { operation, index } of others) {
    const step = journal.find(operation)?.steps.find((one) => one.index === index)
    if (!step || step.nonce === null || step.nonce >= latest) continue
    const attempts = journal.attempts(operation, index)
    const found = await findStep(node, step, attempts)
    const kind = attempts.find(({ hash }) => hash === found?.hash)?.kind
    if (!found?.ok || kind === 'cancel') journal.notePassed(operation, index)
  }
}
