import { type Facts, hasStepSucceeded, isInFlight } from '../facts/facts.ts'
import { actionCommand, amountText, failingChains, fundsText, originNetwork } from '../messages/messages.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

/** Whether the step that decides is signed, and in no block that is seen. */
export const isUnconfirmed = ({ focus }: Facts): boolean =>
  focus !== undefined && isInFlight(focus.step) && !focus.onChain?.found && !hasStepSucceeded(focus)

/** What the chain cannot be asked about. */
export const unreachableRules: readonly DiagnosisRule[] = [
  {
    situation: 'WRONG_CHAIN',
    is: (facts) => failingChains(facts, 'another').length > 0,
    verdict: (facts) =>
      `The RPC is of another chain, so that nobody knows more than the journal: ${textOf(failingChains(facts, 'another'))}.`,
    funds: (facts) => `Nobody can see ${originNetwork(facts)} through this RPC. ${fundsByJournal(facts)}`,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'explain'),
  },
  {
    situation: 'CHAIN_SILENT',
    is: (facts) => failingChains(facts, 'silent').length > 0,
    verdict: (facts) =>
      `The chain does not answer, so that nobody knows more than the journal: ${textOf(failingChains(facts, 'silent'))}.`,
    funds: (facts) => `Nobody can see the chain now. ${fundsByJournal(facts)}`,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'explain'),
  },
]

const textOf = (chains: ReturnType<typeof failingChains>): string =>
  chains.map((chain) => `${chain.network.name}: ${chain.is === 'there' ? '' : chain.why}`).join('; ')

/** Where the funds are where the chain does not tell. */
export const fundsByJournal = (facts: Facts): string =>
  isUnconfirmed(facts)
    ? `By the journal, ${amountText(facts)} may have left the wallet ${facts.operation.wallet}, or may leave it at any time.`
    : `By the journal: ${fundsText(facts)}`
