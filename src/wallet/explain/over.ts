import { rpcVariable } from '../../domain/network-named.ts'
import { disagreementText, disagreementWay } from '../execution/agreement.ts'
import { isShort, resultOf } from '../execution/result.ts'
import { shortText } from '../execution/short.ts'
import { arrivedAt } from './arrived.ts'
import type { Facts, Owner } from './facts.ts'
import { isInTheAir } from './facts.ts'
import { never, type Row } from './row.ts'
import {
  allowed,
  amountOf,
  command,
  fundsNow,
  inHand,
  isSafe,
  othersWait,
  revokeIfLeft,
  stepWord,
} from './words.ts'

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
    safeToRetry: ({ wentOnAs }) => wentOnAs === undefined,
    next: ({ wentOnAs: id }) => (id === undefined ? null : `sluice action explain ${id}`),
  },
  {
    situation: 'GIVEN_UP',
    is: ({ operation }) => operation.state === 'CANCELLED' && operation.exit !== 24,
    verdict: () => 'It was given up: what was not signed of it never will be.',
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: isSafe,
    next: revokeIfLeft,
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
    next: (facts) => command(facts, 'resume'),
  },
  {
    situation: 'DONE',
    is: ({ operation }) => operation.state === 'DONE',
    verdict: (facts) => `It is done, and final.${disputedText(facts)}`,
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
    is: ({ focus }) =>
      focus?.step.state === 'SUPERSEDED' || (focus?.seen?.owner?.isDeep === true && focus.seen.owner.isShown),
    verdict: (facts) =>
      `${stepWord(facts, facts.focus!.step.index)} can never be mined: another transaction of this wallet${ownerText(facts)} used its nonce ${facts.focus!.step.nonce}${doneBy(facts) ? ', and does the same' : ''}.${othersWait(facts)}`,
    funds: (facts) => fundsBy(facts) + allowed(facts),
    safeToRetry: (facts) => !doneBy(facts) && isSafe(facts),
    next: (facts) => {
      const { hash } = doneBy(facts) ?? {}
      if (hash) return `sluice action explain ${hash}`
      return command(facts, facts.operation.state === 'ATTENTION' ? 'replan' : 'resume')
    },
  },
  {
    situation: 'NONCE_TAKEN_NOT_FINAL',
    is: ({ focus }) => focus?.seen?.owner !== undefined,
    verdict: (facts) =>
      `Another transaction of this wallet${ownerText(facts)} has the nonce ${facts.focus!.step.nonce}, and ${facts.focus!.seen!.owner!.isShown ? 'it is not final: either can still win' : 'the node does not show what it is: it may be this one, sent elsewhere'}.`,
    funds: (facts) => fundsBy(facts) + allowed(facts),
    safeToRetry: never,
    next: (facts) => command(facts, 'resume'),
  },
]

/** That an endpoint has another block where a step was final, as a sentence that follows another one. */
function disputedText({ steps }: Facts): string {
  const one = steps.find(({ seen }) => seen?.disputed)
  const unlike = one?.seen?.disputed
  return unlike ? ` ${disagreementText(unlike)}. ${disagreementWay(unlike, rpcVariable(one.network))}.` : ''
}

const ownerText = ({ focus }: Facts): string => (focus?.seen?.owner ? `, ${focus.seen.owner.hash},` : '')

/** Whoever has the nonce, where that is in a block and does what our step was to do. */
const doneBy = ({ focus }: Facts): Owner | undefined => {
  const owner = focus?.seen?.owner
  return owner?.isAgain && owner.blockNumber !== null ? owner : undefined
}

/** Where the funds are, unless another transaction was to move them: then it says so. */
const fundsBy = (facts: Facts): string => {
  const owner = doneBy(facts)
  return owner
    ? `What became of ${amountOf(facts)} is told by the transaction ${owner.hash}.`
    : fundsNow(facts)
}
