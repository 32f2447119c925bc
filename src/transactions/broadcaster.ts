import type { Head } from '../chain/head.ts'
import { isKnownToNodes } from '../chain/mempool.ts'
import { AppError } from '../domain/errors.ts'
import type { Leg } from '../store/journal/operation.ts'
import { inSendingOrder } from './replacement/fee-bump.ts'
import { type Run, stepAt } from './run.ts'
import { broadcastAnswer, isAccepted } from './send-errors.ts'
import { verifyRecordedAttempt } from './steps/verify-signature.ts'

/** Refuses an action whose deadline has passed on its chain: it can only revert, so it is neither signed nor sent. */
export function refuseExpired(
  run: Pick<Run, 'deadlineOf'>,
  leg: Leg,
  { timestamp }: Pick<Head, 'timestamp'>,
): void {
  const deadline = run.deadlineOf?.(leg)
  if (deadline === undefined || timestamp <= deadline) return
  throw new AppError('QUOTE_EXPIRED', `The quote expired at ${new Date(deadline * 1000).toISOString()}`)
}

/**
 * Sends signed attempts of a step to the node: the newest, or all, newest first; only the cancelling ones if the step is being
 * cancelled. Each attempt from the journal is verified again before it is sent. Answers are recorded as hints and decide nothing.
 */
export async function broadcast(run: Run, index: number, all = false): Promise<void> {
  const step = stepAt(run, index)
  const attempts = inSendingOrder(run.journal.attempts(run.operationId, index))
  for (const attempt of all ? attempts : attempts.slice(0, 1)) {
    await verifyRecordedAttempt(attempt, step)
    let answer = 'accepted'
    const rpc = run.rpc(step.transaction.chainId)
    try {
      await rpc.request('eth_sendRawTransaction', [attempt.raw])
    } catch (error) {
      answer = broadcastAnswer(error)
      // A node that has accepted a transaction may answer that the same bytes are too cheap to replace it.
      if (answer.startsWith('under: ') && (isAccepted(attempt) || (await isKnownToNodes(rpc, attempt.hash))))
        answer = 'known'
    }
    run.journal.recordSent(attempt.hash, answer)
    run.fault?.('after_broadcast')
    run.onProgress?.({ kind: 'sent', step, hash: attempt.hash })
  }
}
