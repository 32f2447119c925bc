import { failingChains } from '../facts/operation-conditions.ts'
import { fundsByJournal, originNetwork } from '../messages/funds-text.ts'
import { actionCommand } from '../messages/sentence-parts.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'
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
