import { isInFlight } from '../../domain/step-state.ts'
import { type Next, sluice } from '../../domain/text/next-step.ts'
import {
  isRefunded,
  isUnderDelivered,
  isUnfilled,
  refundText,
  resultOf,
  underDeliveryText,
  unfilledText,
} from '../../transactions/bridge/delivery-result.ts'
import { type Facts, isUnderDelivery } from '../facts/operation-facts.ts'
import { queuedSteps, receivedFundsText } from '../messages/finished-funds-text.ts'
import { fundsText, unreturnedFeeText } from '../messages/funds-text.ts'
import { isSafeToRetry } from '../messages/retry-safety.ts'
import {
  allowancesText,
  commandForOperation,
  duplicateRefusedText,
  otherPendingText,
  revokeSteps,
  stepText,
  walletBusyText,
} from '../messages/shared-operation-phrases.ts'
import type { Situation } from '../situations.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

const isReverted = ({ focus }: Facts): boolean =>
  focus?.step.state === 'FINAL_REVERTED' ||
  (focus?.onChain?.found?.ok === false && focus.onChain.found.isDeep)

const reasonOf = ({ focus }: Facts): string => focus?.onChain?.reason ?? ''

const reverted = (
  situation: Situation,
  is: (facts: Facts) => boolean,
  why: (facts: Facts) => string,
): DiagnosisRule => ({
  situation,
  is: (facts) => isReverted(facts) && is(facts),
  verdict: (facts) =>
    `${stepText(facts, facts.focus!.step.index)} was mined and reverted: ${why(facts)}.${duplicateRefusedText(facts)}${otherPendingText(facts)}`,
  funds: (facts) => `${fundsText(facts)} Only the gas fee was spent.${allowancesText(facts)}`,
  safeToRetry: isSafeToRetry,
  next: (facts) =>
    revokeSteps(facts) ?? (isInFlight(facts.focus!.step) ? commandForOperation(facts, 'resume') : null),
})

/** Rules for reverted steps, by cause. */
export const revertedRules: readonly DiagnosisRule[] = [
  reverted(
    'REVERTED_GAS',
    ({ focus }) => focus?.onChain?.isOutOfGas === true,
    () => 'it ran out of gas',
  ),
  reverted('REVERTED_PRICE', (facts) => /the price moved|slippage/i.test(reasonOf(facts)), reasonOf),
  reverted(
    'REVERTED_DEADLINE',
    (facts) => /deadline has passed|expired|too old/i.test(reasonOf(facts)),
    reasonOf,
  ),
  reverted('REVERTED_PAUSED', (facts) => /paused|frozen|not active/i.test(reasonOf(facts)), reasonOf),
  reverted(
    'REVERTED',
    () => true,
    (facts) => reasonOf(facts) || 'the node does not give a reason',
  ),
]

const isNotSigned = ({ steps }: Facts): boolean => steps.every(({ attempts }) => attempts.length === 0)
const isOwnCancel = ({ focus }: Facts): boolean =>
  focus !== undefined &&
  isInFlight(focus.step) &&
  focus.onChain?.found?.kind === 'cancel' &&
  focus.onChain.found.isDeep

const isSettled = ({ operation: { state } }: Facts): boolean => state === 'CANCELLED' || state === 'FAILED'
const cancelled = (facts: Facts): string =>
  facts.operation.state === 'CANCELLED' || !facts.focus
    ? 'The action was'
    : `${stepText(facts, facts.focus.step.index)} was`

/** Whether a final step of an abandoned operation left its block, noticed or not. */
const isReopenedByChain = ({ steps }: Facts): boolean =>
  steps.some(({ step, onChain }) => !onChain?.found && (isInFlight(step) || onChain?.isGone === true))

/**
 * The command after a reorganisation: a reverted step is only cancelled, since it may succeed now; a step behind another operation
 * continues with that one.
 */
function afterReorganisation(facts: Facts): Next {
  const { steps, operation, precedingId } = facts
  const isOff = steps.some(
    ({ step, onChain, isOnlyCancellable }) =>
      isOnlyCancellable === true && !onChain?.found && (isInFlight(step) || onChain?.isGone),
  )
  if (isOff) return commandForOperation(facts, 'cancel', { '--yes': true })
  return precedingId === undefined || precedingId === operation.id
    ? commandForOperation(facts, 'resume')
    : sluice('action resume', precedingId)
}

/** Rules for finished operations, by the journal and by whether the chain still agrees. */
export const finishedRules: readonly DiagnosisRule[] = [
  {
    situation: 'DROPPED',
    is: ({ operation }) => operation.state === 'DROPPED',
    verdict: ({ successorId, wasGivenUp }) =>
      successorId === undefined || wasGivenUp
        ? `The action was abandoned before anything was signed${successorId === undefined ? '' : `. The same request was started again under its key as ${successorId}`}.`
        : `Nothing was signed: another plan under the same key replaced the action; it continued as ${successorId}.`,
    funds: (facts) =>
      facts.successorId === undefined
        ? fundsText(facts)
        : `This action moved no funds; action ${facts.successorId} states what it moved.`,
    safeToRetry: (facts) => facts.successorId === undefined && isSafeToRetry(facts),
    next: ({ successorId: id }) => (id === undefined ? null : sluice('action explain', id)),
  },
  {
    situation: 'GIVEN_UP',
    is: ({ operation }) => operation.state === 'CANCELLED' && operation.exit !== 24,
    verdict: (facts) =>
      `The action was abandoned: its unsigned steps will never be signed.${isReopenedByChain(facts) ? ' A deep reorganisation removed one of its final transactions from the chain; until that transaction is settled again, the wallet can sign nothing else.' : ''}`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: (facts) => !isReopenedByChain(facts) && isSafeToRetry(facts),
    next: (facts) => (isReopenedByChain(facts) ? afterReorganisation(facts) : revokeSteps(facts)),
  },
  {
    situation: 'ORDER_UNFILLED',
    is: ({ operation }) => isUnfilled(operation),
    verdict: ({ operation }) =>
      `${unfilledText(resultOf(operation).unfilled!)}: nothing was swapped, and nothing was taken.`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    // Nothing of it is on its way any more.
    safeToRetry: () => true,
    next: revokeSteps,
  },
  {
    situation: 'BRIDGE_REFUNDED',
    is: ({ operation }) => isRefunded(operation),
    verdict: (facts) => `${refundText(resultOf(facts.operation).refund!)}.${unreturnedFeeText(facts)}`,
    funds: fundsText,
    // Nothing of it is on its way any more.
    safeToRetry: () => true,
    next: () => null,
  },
  {
    // By the journal alone; what the chains show is appended.
    situation: 'BRIDGE_SHORT',
    is: (facts) =>
      isUnderDelivered(facts.operation) &&
      !facts.bridge?.delivered &&
      resultOf(facts.operation).short !== undefined,
    verdict: ({ operation }) =>
      `${underDeliveryText(resultOf(operation).short!)}. Nothing more is signed by itself.`,
    funds: fundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    // Without a recorded cause, none is stated; a reverted step and what the chains show come first.
    situation: 'FAILED',
    is: ({ operation, steps, bridge }) =>
      operation.state === 'FAILED' &&
      !isRefunded(operation) &&
      !isUnfilled(operation) &&
      !isUnderDelivered(operation) &&
      !isUnderDelivery({ bridge }) &&
      steps.every(({ step }) => step.state !== 'FINAL_REVERTED'),
    verdict: () => 'The action failed, and the journal of this machine does not state the cause.',
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    situation: 'NOTHING_SIGNED',
    is: isNotSigned,
    verdict: (facts) =>
      `The action was planned, but nothing was signed${facts.isWalletBusy ? `: ${walletBusyText(facts)}` : ''}.${facts.precedingId === undefined ? '' : ` The action ${facts.precedingId} of the same wallet comes first: it is signed, but its chain does not have it.`}`,
    funds: fundsText,
    safeToRetry: isSafeToRetry,
    next: (facts) => {
      if (facts.isWalletBusy) return commandForOperation(facts, 'watch')
      return facts.precedingId === undefined
        ? commandForOperation(facts, 'resume')
        : sluice('action resume', facts.precedingId)
    },
  },
  {
    situation: 'REOPENED',
    is: ({ steps, wasReopened, focus }) =>
      steps.some(({ onChain }) => onChain?.isGone === true) ||
      (wasReopened &&
        focus !== undefined &&
        isInFlight(focus.step) &&
        focus.onChain !== undefined &&
        !focus.onChain.found),
    verdict: () => 'The action was final, but a deep reorganisation removed its block from the chain.',
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: afterReorganisation,
  },
  {
    situation: 'DONE',
    is: ({ operation }) => operation.state === 'DONE',
    verdict: () => 'The action is done and final.',
    funds: (facts) => receivedFundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: queuedSteps,
  },
  {
    situation: 'CANCELLED',
    is: (facts) =>
      facts.operation.state === 'CANCELLED' || facts.focus?.step.state === 'CANCELLED' || isOwnCancel(facts),
    verdict: (facts) =>
      `${cancelled(facts)} cancelled: its no-op transaction was mined instead.${otherPendingText(facts)}`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: isSafeToRetry,
    next: (facts) => (isSettled(facts) ? revokeSteps(facts) : commandForOperation(facts, 'resume')),
  },
  {
    situation: 'SUPERSEDED',
    is: ({ focus }) => {
      const owner = focus?.onChain?.owner
      if (focus?.step.state === 'SUPERSEDED') return owner === undefined || owner.isDeep
      return owner?.isDeep === true
    },
    verdict: (facts) =>
      `${stepText(facts, facts.focus!.step.index)} can never be mined: another transaction of this wallet${ownerText(facts)} used its nonce ${facts.focus!.step.nonce}. Check what that transaction did before you repeat the request.${otherPendingText(facts)}`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, facts.operation.state === 'ATTENTION' ? 'replan' : 'resume'),
  },
  {
    situation: 'NONCE_TAKEN_NOT_FINAL',
    is: ({ focus }) => focus?.onChain?.owner !== undefined,
    verdict: (facts) =>
      `Another transaction of this wallet${ownerText(facts)} has the nonce ${facts.focus!.step.nonce} but is not final: either of the two can still be mined.`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, facts.operation.state === 'ATTENTION' ? 'explain' : 'resume'),
  },
]

const ownerText = ({ focus }: Facts): string =>
  focus?.onChain?.owner ? `, ${focus.onChain.owner.hash},` : ''
