import { formatUnits } from 'viem/utils'
import { roundFeeUp } from '../../chain/gas-fees.ts'
import { type Flags, sluice } from '../../domain/text/next-step.ts'
import type { Attempt } from '../../store/journal/operation-types.ts'
import { inSendingOrder, isCancelling, replacementFees } from '../../transactions/attempts/fee-bump.ts'
import {
  isFeeTooLow,
  isPermanentError,
  type SendError,
  sendErrorOf,
} from '../../transactions/steps/send-errors.ts'
import { isUnconfirmed } from '../facts/operation-conditions.ts'
import type { Facts } from '../facts/operation-facts.ts'
import { fundsByJournal, fundsText } from '../messages/funds-text.ts'
import {
  allowancesText,
  commandForOperation,
  gweiText,
  stepText,
} from '../messages/shared-operation-phrases.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

const last = ({ focus }: Facts) => focus!.attempts.at(-1)!
const headOf = ({ focus, chains }: Facts) => {
  const chain = chains.get(focus!.step.transaction.chainId)
  return chain?.is === 'there' ? chain.head : undefined
}
const networkOf = (facts: Facts): string => facts.focus!.network.name
const step = (facts: Facts): string => stepText(facts, facts.focus!.step.index)
/** Nothing has moved before the step is mined. */
const funds = (facts: Facts): string => fundsText(facts) + allowancesText(facts)

/** Whether a pending step could only revert, because its deadline has passed. */
function isLate(facts: Facts): boolean {
  const { focus, plan } = facts
  const deadline = focus && plan.intents[focus.step.leg]?.deadline
  const head = isUnconfirmed(facts) ? headOf(facts) : undefined
  return (
    focus?.step.role === 'action' &&
    typeof deadline === 'number' &&
    head !== undefined &&
    head.timestamp > deadline
  )
}

/** The newest attempt or cancellation, with the node's refusal if any. */
const lastSent = ({ focus }: Facts): Attempt => inSendingOrder(focus!.attempts)[0]!
const refusal = (facts: Facts): SendError | undefined =>
  isUnconfirmed(facts) && facts.focus!.onChain?.waiting === undefined
    ? sendErrorOf(lastSent(facts))
    : undefined

/** What is known of the nonce before the pending step's. */
function precedingNonceText({ precedingId, operation, focus }: Facts): string {
  if (precedingId !== undefined && precedingId !== operation.id)
    return `that one belongs to the action ${precedingId}`
  const { isNextWaiting } = focus!.onChain!
  if (isNextWaiting === undefined) return 'the node does not say whether that one is pending, too'
  if (!isNextWaiting) return 'that one is missing'
  return precedingId === undefined
    ? 'that one is pending, too, and another program sent it'
    : 'that one is pending, too'
}

/** The rule for a transaction in no mempool, because the node refused it. */
const refusedRule: DiagnosisRule = {
  situation: 'REFUSED',
  is: (facts) => {
    const is = refusal(facts)?.is
    // A nonce that is too high waits for the one before it.
    return is !== undefined && is !== 'high' && (isCancelling(facts.focus!.attempts) || !isLate(facts))
  },
  verdict: (facts) =>
    `${step(facts)} was sent, but the node of ${networkOf(facts)} refused ${isCancelling(facts.focus!.attempts) ? 'its cancellation' : 'it'}: ${refusal(facts)!.words}. The node does not have it now, but anyone with its bytes can still send it.`,
  funds,
  safeToRetry: neverSafe,
  next: (facts) => {
    const said = refusal(facts)
    const { attempts } = facts.focus!
    const { baseFee } = headOf(facts)!
    const market = { maxFeePerGas: 2n * baseFee, maxPriorityFeePerGas: 0n }
    const { maxFeePerGas } = replacementFees(attempts, market, undefined)!
    const more: Flags = { '--max-fee': formatUnits(roundFeeUp(maxFeePerGas), 9) }
    if (isCancelling(attempts))
      return commandForOperation(facts, 'cancel', { ...(isFeeTooLow(said) && more), '--yes': true })
    if (said && isPermanentError(said)) return commandForOperation(facts, 'cancel', { '--yes': true })
    return isFeeTooLow(said)
      ? commandForOperation(facts, 'speed-up', more)
      : commandForOperation(facts, 'resume')
  },
}

/** The refusal of a cancellation while the node holds something else at the nonce. */
const cancelRefused = (facts: Facts): SendError | undefined => {
  const sent = lastSent(facts)
  const no = sent.hash === facts.focus!.onChain?.waiting ? undefined : sendErrorOf(sent)
  // A nonce that is too high waits for the one before it.
  return no?.is === 'high' ? undefined : no
}

/** A `--max-fee` of twice the current price, in whole gwei. */
const doubledMaxFee = (facts: Facts): Flags => ({
  '--max-fee': String((2n * headOf(facts)!.baseFee) / 10n ** 9n + 1n),
})

/** What is known of a transaction that the node shows in a block without its receipt. */
const withoutReceiptText = (facts: Facts): string | undefined => {
  const shown = facts.focus!.onChain!.withoutReceipt
  return (
    shown &&
    `The node of ${networkOf(facts)} shows ${shown.hash} in block ${shown.blockNumber}, but has no receipt of it: whether it succeeded is not known. Another RPC may have the receipt.`
  )
}

/** Rules for signed steps in no block. */
export const waitingRules: readonly DiagnosisRule[] = [
  {
    situation: 'MINED_NOT_FINAL',
    is: (facts) =>
      isUnconfirmed(facts) &&
      facts.focus!.step.state === 'INCLUDED' &&
      facts.focus!.onChain?.lacksBlock === true,
    verdict: (facts) =>
      `${step(facts)} was in block ${facts.focus!.step.inclusion?.blockNumber} of ${networkOf(facts)}. The node that answers now does not have that block: it may be behind.`,
    funds: fundsByJournal,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'explain'),
  },
  {
    situation: 'NONCE_TAKEN_NOT_FINAL',
    is: (facts) =>
      isUnconfirmed(facts) &&
      facts.focus!.onChain?.waiting === undefined &&
      facts.focus!.onChain!.latest > (facts.focus!.step.nonce ?? Number.POSITIVE_INFINITY),
    verdict: (facts) =>
      withoutReceiptText(facts) ??
      `The nonce ${facts.focus!.step.nonce} of ${stepText(facts, facts.focus!.step.index).toLowerCase()} is used, but the node of ${networkOf(facts)} did not show in time by which transaction: it may be this one.`,
    funds: fundsByJournal,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'REORGED',
    is: (facts) => isUnconfirmed(facts) && facts.focus!.step.state === 'INCLUDED',
    verdict: (facts) =>
      `${step(facts)} was in block ${facts.focus!.step.inclusion?.blockNumber} of ${networkOf(facts)}, but a reorganisation removed that block: the transaction must be mined again.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'SIGNED_NOT_SENT',
    is: (facts) =>
      isUnconfirmed(facts) &&
      facts.focus!.step.state === 'SIGNED' &&
      facts.focus!.onChain?.waiting === undefined,
    verdict: (facts) => `${step(facts)} is signed but was not sent yet.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  refusedRule,
  {
    situation: 'CANCELLING',
    is: (facts) => isUnconfirmed(facts) && isCancelling(facts.focus!.attempts),
    verdict: (facts) => {
      const no = cancelRefused(facts)
      return no
        ? `${step(facts)} is pending, but its cancellation is not: the node refused the cancellation: ${no.words}.`
        : `${step(facts)} is being cancelled: it and a no-op transaction are pending with the same nonce; whichever is mined first wins.`
    },
    funds,
    safeToRetry: neverSafe,
    next: (facts) => {
      if (lastSent(facts).maxFeePerGas < (headOf(facts)?.baseFee ?? 0n))
        return commandForOperation(facts, 'cancel', { ...doubledMaxFee(facts), '--yes': true })
      return cancelRefused(facts)
        ? commandForOperation(facts, 'cancel', { '--yes': true })
        : commandForOperation(facts, 'resume')
    },
  },
  {
    situation: 'DEADLINE_PASSED',
    is: isLate,
    verdict: (facts) =>
      `${step(facts)} is still pending, but its deadline has passed: if it is mined now, it reverts and costs its gas fee.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'cancel'),
  },
  {
    situation: 'BEHIND_ANOTHER',
    is: (facts) => isUnconfirmed(facts) && facts.focus!.onChain!.latest < (facts.focus!.step.nonce ?? 0),
    verdict: (facts) =>
      `${step(facts)} has the nonce ${facts.focus!.step.nonce}, but the nonce ${facts.focus!.onChain!.latest} comes first: ${precedingNonceText(facts)}.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) =>
      facts.precedingId === undefined
        ? commandForOperation(facts, 'resume')
        : sluice('action resume', facts.precedingId),
  },
  {
    situation: 'FEE_TOO_LOW',
    is: (facts) => {
      const head = isUnconfirmed(facts) ? headOf(facts) : undefined
      return head !== undefined && last(facts).maxFeePerGas < head.baseFee
    },
    verdict: (facts) =>
      `${step(facts)} pays a gas price of at most ${gweiText(last(facts).maxFeePerGas)}, but the base fee on ${networkOf(facts)} is ${gweiText(headOf(facts)!.baseFee)}: it stays pending until the base fee falls or its fee is raised.`,
    funds,
    safeToRetry: neverSafe,
    // The market is above the plan, so the person sets the limit: twice the current price, in whole gwei.
    next: (facts) => commandForOperation(facts, 'speed-up', doubledMaxFee(facts)),
  },
  {
    situation: 'SENT_NOT_SEEN',
    is: (facts) => isUnconfirmed(facts) && facts.focus!.onChain?.waiting === undefined,
    verdict: (facts) =>
      `${step(facts)} was sent, but the node of ${networkOf(facts)} does not know it: it was dropped, or only another node has it.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'WAITING',
    is: isUnconfirmed,
    verdict: (facts) => `${step(facts)} is pending in the mempool of ${networkOf(facts)}.`,
    funds,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
]
