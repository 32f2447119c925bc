import type { Facts } from './facts.ts'
import { isInTheAir } from './facts.ts'
import type { Row } from './row.ts'
import type { Situation } from './verdict.ts'
import {
  allowed,
  command,
  fundsNow,
  isSafe,
  othersWait,
  refusedText,
  revokeIfLeft,
  stepWord,
} from './words.ts'

const isReverted = ({ focus }: Facts): boolean =>
  focus?.step.state === 'FINAL_REVERTED' || (focus?.seen?.found?.ok === false && focus.seen.found.isDeep)

const reasonOf = ({ focus }: Facts): string => focus?.seen?.reason ?? ''

const reverted = (
  situation: Situation,
  is: (facts: Facts) => boolean,
  why: (facts: Facts) => string,
): Row => ({
  situation,
  is: (facts) => isReverted(facts) && is(facts),
  verdict: (facts) =>
    `${stepWord(facts, facts.focus!.step.index)} was mined and reverted: ${why(facts)}.${refusedText(facts)}${othersWait(facts)}`,
  funds: (facts) => `${fundsNow(facts)} Only the fee is gone.${allowed(facts)}`,
  safeToRetry: isSafe,
  next: (facts) => revokeIfLeft(facts) ?? (isInTheAir(facts.focus!.step) ? command(facts, 'resume') : null),
})

/** Actions that the chain refused to carry out, by the reason that it gives. */
export const revertedRows: readonly Row[] = [
  reverted(
    'REVERTED_GAS',
    ({ focus }) => focus?.seen?.isOutOfGas === true,
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
    (facts) => reasonOf(facts) || 'the node does not say why',
  ),
]
