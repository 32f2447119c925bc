import { shortText } from '../../transactions/bridge/under-delivery.ts'
import { isShort, resultOf } from '../../transactions/outcome/result.ts'
import { type Facts, isInTheAir } from '../facts/facts.ts'
import {
  allowed,
  command,
  fundsNow,
  inHand,
  isSafe,
  othersWait,
  refusedText,
  revokeIfLeft,
  stepWord,
} from '../messages/messages.ts'
import { arrivedAt } from '../messages/received.ts'
import { never, type Row, type Situation } from '../verdict.ts'

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

const isNotSigned = ({ steps }: Facts): boolean => steps.every(({ attempts }) => attempts.length === 0)
const isOwnCancel = ({ focus }: Facts): boolean =>
  focus !== undefined &&
  isInTheAir(focus.step) &&
  focus.seen?.found?.kind === 'cancel' &&
  focus.seen.found.isDeep

const isSettled = ({ operation: { state } }: Facts): boolean => state === 'CANCELLED' || state === 'FAILED'
const cancelled = (facts: Facts): string =>
  facts.operation.state === 'CANCELLED' || !facts.focus
    ? 'It was'
    : `${stepWord(facts, facts.focus.step.index)} was`

/** Whether what was final of what was given up is in no block any more, be it noticed or not. */
const isAgainOpen = ({ steps }: Facts): boolean =>
  steps.some(({ step, seen }) => !seen?.found && (isInTheAir(step) || seen?.isGone === true))

/** What goes on with what a reorganisation took off the chain: what reverted is only cancelled, as it may not revert again; and what waits behind another action, by that one. */
function onAgain(facts: Facts): string {
  const { steps, operation, before } = facts
  const isOff = steps.some(
    ({ step, seen, isLetGo }) => isLetGo === true && !seen?.found && (isInTheAir(step) || seen?.isGone),
  )
  if (isOff) return command(facts, 'cancel', ' --yes')
  return before === undefined || before === operation.id
    ? command(facts, 'resume')
    : `sluice action resume ${before}`
}

/** Actions that are over, or were: by the journal, and by whether the chain still says so. */
export const over: readonly Row[] = [
  {
    situation: 'DROPPED',
    is: ({ operation }) => operation.state === 'DROPPED',
    verdict: ({ wentOnAs, wasGivenUp }) =>
      wentOnAs === undefined || wasGivenUp
        ? `It was given up before anything of it was signed${wentOnAs === undefined ? '' : `, and the same was asked for again under its key since, as ${wentOnAs}`}.`
        : `Nothing of it was signed: it made way for another plan under the same key, and went on as ${wentOnAs}.`,
    funds: (facts) =>
      facts.wentOnAs === undefined
        ? fundsNow(facts)
        : `Nothing was moved by it. What ${facts.wentOnAs} moved is told there.`,
    safeToRetry: (facts) => facts.wentOnAs === undefined && isSafe(facts),
    next: ({ wentOnAs: id }) => (id === undefined ? null : `sluice action explain ${id}`),
  },
  {
    situation: 'GIVEN_UP',
    is: ({ operation }) => operation.state === 'CANCELLED' && operation.exit !== 24,
    verdict: (facts) =>
      `It was given up: what was not signed of it never will be.${isAgainOpen(facts) ? ' A deep reorganisation of the chain took what was final of it away, and until that is settled again nothing goes before it.' : ''}`,
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: (facts) => !isAgainOpen(facts) && isSafe(facts),
    next: (facts) => (isAgainOpen(facts) ? onAgain(facts) : revokeIfLeft(facts)),
  },
  {
    // By the journal alone: what the chains show now is told below, where they show anything.
    situation: 'BRIDGE_SHORT',
    is: (facts) =>
      isShort(facts.operation) && !facts.bridge?.delivered && resultOf(facts.operation).short !== undefined,
    verdict: ({ operation }) => `${shortText(resultOf(operation).short!)}. Nothing more is signed by itself.`,
    funds: fundsNow,
    safeToRetry: never,
    next: (facts) => command(facts, 'export'),
  },
  {
    situation: 'NOTHING_SIGNED',
    is: isNotSigned,
    verdict: (facts) =>
      `It was planned, and nothing of it was ever signed${facts.isAtWork ? `: ${inHand(facts)}` : ''}.${facts.before === undefined ? '' : ` The action ${facts.before} of the same wallet comes first: it is signed, and its chain does not have it.`}`,
    funds: fundsNow,
    safeToRetry: isSafe,
    next: (facts) => {
      if (facts.isAtWork) return command(facts, 'watch')
      return facts.before === undefined ? command(facts, 'resume') : `sluice action resume ${facts.before}`
    },
  },
  {
    situation: 'REOPENED',
    is: ({ steps, wasReopened, focus }) =>
      steps.some(({ seen }) => seen?.isGone === true) ||
      (wasReopened &&
        focus !== undefined &&
        isInTheAir(focus.step) &&
        focus.seen !== undefined &&
        !focus.seen.found),
    verdict: () => 'It was final, and a deep reorganisation of the chain took its block away.',
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: never,
    next: onAgain,
  },
  {
    situation: 'DONE',
    is: ({ operation }) => operation.state === 'DONE',
    verdict: () => 'It is done, and final.',
    funds: (facts) => arrivedAt(facts) + allowed(facts),
    safeToRetry: never,
    next: () => null,
  },
  {
    situation: 'CANCELLED',
    is: (facts) =>
      facts.operation.state === 'CANCELLED' || facts.focus?.step.state === 'CANCELLED' || isOwnCancel(facts),
    verdict: (facts) =>
      `${cancelled(facts)} cancelled: our transaction that does nothing was mined in its place.${othersWait(facts)}`,
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: isSafe,
    next: (facts) => (isSettled(facts) ? revokeIfLeft(facts) : command(facts, 'resume')),
  },
  {
    situation: 'SUPERSEDED',
    is: ({ focus }) => {
      const owner = focus?.seen?.owner
      if (focus?.step.state === 'SUPERSEDED') return owner === undefined || owner.isDeep
      return owner?.isDeep === true
    },
    verdict: (facts) =>
      `${stepWord(facts, facts.focus!.step.index)} can never be mined: another transaction of this wallet${ownerText(facts)} used its nonce ${facts.focus!.step.nonce}. See what that did before you ask for the same again.${othersWait(facts)}`,
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: never,
    next: (facts) => command(facts, facts.operation.state === 'ATTENTION' ? 'replan' : 'resume'),
  },
  {
    situation: 'NONCE_TAKEN_NOT_FINAL',
    is: ({ focus }) => focus?.seen?.owner !== undefined,
    verdict: (facts) =>
      `Another transaction of this wallet${ownerText(facts)} has the nonce ${facts.focus!.step.nonce}, and it is not final: either can still win.`,
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: never,
    next: (facts) => command(facts, facts.operation.state === 'ATTENTION' ? 'explain' : 'resume'),
  },
]

const ownerText = ({ focus }: Facts): string => (focus?.seen?.owner ? `, ${focus.seen.owner.hash},` : '')
