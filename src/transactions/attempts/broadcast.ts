import type { ChainClient } from '../../chain/chain-client.ts'
import { type MinedTransaction, reportedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { isKnownToNodes } from '../../chain/mempool.ts'
import { syncSendMethod } from '../../chain/rpc/sync-send.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'
import type { SendAnswer } from '../../store/journal/send-answer.ts'
import type { Run } from '../run.ts'
import { broadcastAnswer, isAccepted } from '../steps/send-errors.ts'
import { inSendingOrder } from './fee-bump.ts'
import { verifyRecordedAttempt } from './verify-signature.ts'

/**
 * Sends signed attempts of a step to the node: the newest, or all, newest first; only the cancelling ones if the step
 * is being cancelled. Each attempt from the journal is verified again before it is sent. The node's answers are
 * recorded as hints and decide nothing. Returns the block that a node told in its answer.
 */
export async function broadcast(run: Run, step: Step, all: boolean): Promise<MinedTransaction | undefined> {
  const attempts = inSendingOrder(step.attempts)
  let told: MinedTransaction | undefined
  for (const attempt of all ? attempts : attempts.slice(0, 1)) {
    await verifyRecordedAttempt(attempt, step)
    let answer: SendAnswer = { is: 'accepted', words: '' }
    const { chainId } = step.transaction
    const rpc = run.rpc(chainId)
    try {
      if (attempt.sends === 0 && awaitsReceipts(run, chainId)) told = await sendForReceipt(rpc, attempt, step)
      else await rpc.request('eth_sendRawTransaction', [attempt.raw])
    } catch (error) {
      answer = broadcastAnswer(error, attempt)
      // A node that already accepted a transaction may answer that the same bytes are too cheap to replace it.
      if (answer.is === 'under' && (isAccepted(attempt) || (await isKnownToNodes(rpc, attempt.hash))))
        answer = { is: 'known', words: '' }
    }
    run.journal.recordSent(attempt.hash, answer)
    run.fault?.('after_broadcast')
    run.onProgress?.({ kind: 'sent', step, hash: attempt.hash })
  }
  return told
}

/**
 * Whether to ask for a receipt in the node's answer: only if the run follows the transaction, and one block is deep
 * enough.
 */
const awaitsReceipts = ({ noWait, networks, depth }: Run, chainId: number): boolean =>
  !noWait && (depth ?? networkNamed(networks, chainId).depth) === 1

/** Sends a transaction to nodes that may answer with its receipt (EIP-7966): the first of two looks. */
async function sendForReceipt(
  rpc: ChainClient,
  { hash, raw, transaction }: Attempt,
  { wallet }: Step,
): Promise<MinedTransaction | undefined> {
  const answer = await rpc.request(syncSendMethod, [raw])
  const expected = { from: wallet, to: transaction.to }
  return undefinedIfUnanswered(reportedTransaction(rpc, hash, answer, expected))
}
