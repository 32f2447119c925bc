import type { Situation } from '../../diagnosis/situations.ts'
import type { PrintedVerdict } from '../../diagnosis/verdict.ts'

/** The situations of an action that is over: a repeated request is a new one, and nothing refuses it. */
const over: readonly Situation[] = [
  'DONE',
  'FAILED',
  'BRIDGE_SHORT',
  'SUPERSEDED',
  'CANCELLED',
  'GIVEN_UP',
  'REVERTED',
  'REVERTED_PRICE',
  'REVERTED_DEADLINE',
  'REVERTED_PAUSED',
  'REVERTED_GAS',
]

/**
 * Whether a retry is safe, in words. A transaction of another machine that succeeded is no request of this one, so its row only says what
 * sending it again does. Only an open action of this machine, which is the one with steps, refuses a request.
 */
export function retryText({ safeToRetry, situation, transactions, transaction }: PrintedVerdict): string {
  if (safeToRetry) return 'safe: nothing signed is still pending'
  if (transaction?.status === 'success') return 'it succeeded; sending it again does it again'
  if (situation === 'DONE') return 'unsafe: a new request pays a second time'
  return transactions === undefined || over.includes(situation)
    ? 'unsafe: a new request could pay twice'
    : 'unsafe: a new request could pay twice, or is refused while this action is open'
}
