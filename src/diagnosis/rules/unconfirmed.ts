import { type Facts, hasStepSucceeded, isInFlight } from '../facts/facts.ts'
import { actionCommand, amountText, failingChains, fundsText, originNetwork } from '../messages/messages.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

/** Whether the deciding step is signed and in no visible block. */
export const isUnconfirmed = ({ focus }: Facts): boolean =>
  focus !== undefined && isInFlight(focus.step) && !focus.onChain?.found && !hasStepSucceeded(focus)

/** Rules for chains that cannot be read. */
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

/** Where the funds are by the journal, if the chain does not tell. */
export const fundsByJournal = (facts: Facts): string =>
  isUnconfirmed(facts)
    ? `By the journal, ${amountText(facts)} may have left the wallet ${facts.operation.wallet}, or may leave it at any time.`
    : `By the journal: ${fundsText(facts)}`
