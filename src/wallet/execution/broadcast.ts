import { hintOf, isTaken } from './refused.ts'
import { type Run, stepAt } from './run.ts'
import { inSendingOrder } from './stuck.ts'
import { verifyStep } from './verify.ts'

/**
 * Hands what is signed of a step to the node: the newest attempt, or all of them, newest first, cancels before all else where it is to be cancelled. What comes out of the
 * journal is checked once more before it leaves. The answers are written down as hints and decide nothing.
 */
export async function broadcast(run: Run, index: number, all = false): Promise<void> {
  const step = stepAt(run, index)
  const attempts = inSendingOrder(run.journal.attempts(run.operationId, index))
  for (const attempt of all ? attempts : attempts.slice(0, 1)) {
    await verifyStep(attempt, step)
    let answer = 'accepted'
    try {
      await run.rpc(step.transaction.chainId).request('eth_sendRawTransaction', [attempt.raw])
    } catch (error) {
      answer = hintOf(error)
      // A node that took it may say of the same bytes that they are too cheap to replace themselves.
      if (answer.startsWith('under: ') && isTaken(attempt)) answer = 'known'
    }
    run.journal.sent(attempt.hash, answer)
    run.fault?.('after_broadcast')
    run.onProgress?.({ kind: 'sent', step, hash: attempt.hash })
  }
}
