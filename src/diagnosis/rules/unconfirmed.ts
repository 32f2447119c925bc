import { type Facts, isInTheAir, wentWell } from '../facts/facts.ts'
import { amountOf, chainsThat, command, fundsNow, originOf } from '../messages/messages.ts'
import { never, type Row } from '../verdict.ts'

/** Whether the step that decides is signed, and in no block that is seen. */
export const inTheAir = ({ focus }: Facts): boolean =>
  focus !== undefined && isInTheAir(focus.step) && !focus.seen?.found && !wentWell(focus)

/** What the chain cannot be asked about. */
export const unasked: readonly Row[] = [
  {
    situation: 'WRONG_CHAIN',
    is: (facts) => chainsThat(facts, 'another').length > 0,
    verdict: (facts) =>
      `The RPC is of another chain, so that nobody knows more than the journal: ${textOf(chainsThat(facts, 'another'))}.`,
    funds: (facts) => `Nobody can see ${originOf(facts)} through this RPC. ${byJournal(facts)}`,
    safeToRetry: never,
    next: (facts) => command(facts, 'explain'),
  },
  {
    situation: 'CHAIN_SILENT',
    is: (facts) => chainsThat(facts, 'silent').length > 0,
    verdict: (facts) =>
      `The chain does not answer, so that nobody knows more than the journal: ${textOf(chainsThat(facts, 'silent'))}.`,
    funds: (facts) => `Nobody can see the chain now. ${byJournal(facts)}`,
    safeToRetry: never,
    next: (facts) => command(facts, 'explain'),
  },
]

const textOf = (chains: ReturnType<typeof chainsThat>): string =>
  chains.map((chain) => `${chain.network.name}: ${chain.is === 'there' ? '' : chain.why}`).join('; ')

/** Where the funds are where the chain does not tell. */
export const byJournal = (facts: Facts): string =>
  inTheAir(facts)
    ? `By the journal, ${amountOf(facts)} may have left the wallet ${facts.operation.wallet}, or may leave it at any time.`
    : `By the journal: ${fundsNow(facts)}`
