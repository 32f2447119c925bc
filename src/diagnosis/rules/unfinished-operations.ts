import { disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { activeSteps } from '../../transactions/steps/active-steps.ts'
import { hasRemainingAllowance } from '../facts/operation-conditions.ts'
import { type Facts, hasStepSucceeded } from '../facts/operation-facts.ts'
import { receivedFundsText } from '../messages/finished-funds-text.ts'
import { fundsText, fundsWhenFinal } from '../messages/funds-text.ts'
import { isSafeToRetry } from '../messages/retry-safety.ts'
import {
  allowancesText,
  blockerText,
  commandForOperation,
  duplicateRefusedText,
  lastRunText,
  stepText,
  unsignedNextSteps,
  walletBusyText,
} from '../messages/shared-operation-phrases.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

const nothingMoves = ({ focus }: Facts): boolean =>
  focus === undefined || !isInFlight(focus.step) || focus.onChain?.found?.isDeep === true

const isHalf = (facts: Facts): boolean => facts.unsigned !== undefined && nothingMoves(facts)

/** How to continue or end a partly done operation, as following sentences. */
const continueOrEndText = (facts: Facts): string =>
  `${lastRunText(facts)}${hasRemainingAllowance(facts) && facts.unsigned!.role !== 'fee' ? ` Continue, or revoke the allowance.` : ''}${duplicateRefusedText(facts)}${blockerText(facts)}`

/** The rule for a step that is mined and not final yet. */
export const minedNotFinalRule: DiagnosisRule = {
  situation: 'MINED_NOT_FINAL',
  is: ({ focus }) =>
    focus?.onChain?.found !== undefined && isInFlight(focus.step) && !focus.onChain.found.isDeep,
  verdict: (facts) => {
    const { step, onChain, network } = facts.focus!
    const { blockNumber, confirmations, ok, unlike } = onChain!.found!
    const why = unlike
      ? `which would be final, but ${disagreementText(unlike)}. ${disagreementHint(unlike, rpcVariable(network))}`
      : 'which is not final yet'
    return `${stepText(facts, step.index)} ${ok ? 'is' : 'reverted'} in block ${blockNumber}, ${confirmations} deep, ${why}.`
  },
  funds: (facts) =>
    facts.focus!.onChain!.found!.ok && facts.focus!.step.role === 'action'
      ? `Once the step is final: ${fundsWhenFinal(facts)}`
      : fundsText(facts),
  safeToRetry: neverSafe,
  next: (facts) => commandForOperation(facts, 'resume'),
}

/** Rules for what is left to do. */
export const unfinishedRules: readonly DiagnosisRule[] = [
  {
    situation: 'QUOTE_EXPIRED',
    is: (facts) => {
      const { unsigned, plan, chains } = facts
      const deadline = unsigned && unsigned.role !== 'fee' && plan.intents[unsigned.leg]?.deadline
      const chain = unsigned && chains.get(unsigned.transaction.chainId)
      return (
        isHalf(facts) &&
        typeof deadline === 'number' &&
        chain?.is === 'there' &&
        chain.head.timestamp > deadline
      )
    },
    verdict: (facts) =>
      facts.isWalletBusy
        ? `The action is partly done, and the quote for the remaining steps has expired; ${walletBusyText(facts)}.`
        : `The action is partly done, and the quote for the remaining steps has expired: they need a new quote before they are signed.`.concat(
            hasRemainingAllowance(facts)
              ? ' Instead of making a new plan, you can revoke the allowance.'
              : '',
            duplicateRefusedText(facts),
          ),
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: isSafeToRetry,
    next: (facts) => commandForOperation(facts, facts.isWalletBusy ? 'watch' : 'replan'),
  },
  {
    situation: 'PARTLY_DONE',
    is: isHalf,
    verdict: (facts) =>
      `The action is partly done and final; step ${facts.unsigned!.index + 1} of ${facts.operation.steps.length} (${facts.unsigned!.role}) is not signed${facts.isWalletBusy ? `: ${walletBusyText(facts)}.` : `.${continueOrEndText(facts)}`}`,
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: isSafeToRetry,
    next: (facts) => (facts.isWalletBusy ? commandForOperation(facts, 'watch') : unsignedNextSteps(facts)),
  },
  {
    situation: 'MINED_UNNOTICED',
    is: ({ operation, steps }) =>
      activeSteps(operation).every((step) => steps.some((one) => one.step === step && hasStepSucceeded(one))),
    verdict: () => 'All steps are mined and final; the run ended before the journal recorded it.',
    funds: (facts) => receivedFundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    // The fallback: it does not claim success.
    situation: 'PARTLY_DONE',
    is: () => true,
    verdict: () => 'The action is not complete, and the journal does not show how to continue.',
    funds: (facts) => fundsText(facts) + allowancesText(facts),
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'show'),
  },
]
