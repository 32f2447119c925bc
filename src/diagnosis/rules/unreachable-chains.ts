import { failingChains } from '../facts/operation-conditions.ts'
import { fundsByJournal, originNetwork } from '../messages/funds-text.ts'
import { commandForOperation } from '../messages/shared-operation-phrases.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'
/** Rules for chains that cannot be read. */
export const unreachableRules: readonly DiagnosisRule[] = [
  {
    situation: 'WRONG_CHAIN',
    is: (facts) => failingChains(facts, 'another').length > 0,
    verdict: (facts) =>
      `The RPC serves another chain, so only the journal can be read: ${textOf(failingChains(facts, 'another'))}.`,
    funds: (facts) => `This RPC does not show ${originNetwork(facts)}. ${fundsByJournal(facts)}`,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'explain'),
  },
  {
    situation: 'CHAIN_SILENT',
    is: (facts) => failingChains(facts, 'silent').length > 0,
    verdict: (facts) =>
      `The chain does not answer, so only the journal can be read: ${textOf(failingChains(facts, 'silent'))}.`,
    funds: (facts) => `The chain cannot be read now. ${fundsByJournal(facts)}`,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'explain'),
  },
]

const textOf = (chains: ReturnType<typeof failingChains>): string =>
  chains.map((chain) => `${chain.network.name}: ${chain.is === 'there' ? '' : chain.why}`).join('; ')
