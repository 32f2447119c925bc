import { rpcVariable } from '../../domain/networks.ts'
import { disagreementText, disagreementWay } from '../../transactions/confirmation/quorum.ts'
import { standing } from '../../transactions/operations/active-steps.ts'
import { isShort } from '../../transactions/outcome/result.ts'
import { type Facts, isInTheAir, isTooLittle, wentWell } from '../facts/facts.ts'
import { endedText, goOnOrNot, stuckText } from '../facts/stuck-cause.ts'
import {
  allowed,
  command,
  fundsNow,
  inHand,
  isLeft,
  isSafe,
  onTheBridge,
  refusedText,
  stepWord,
  whenFinal,
  withRecipient,
} from '../messages/messages.ts'
import { arrivedAt } from '../messages/received.ts'
import { never, type Row } from '../verdict.ts'

const bridge = ({ bridge }: Facts) => bridge!
const minutes = (ms: number): string => `${Math.round(ms / 60_000)} min`
const waited = (facts: Facts): number => facts.now - bridge(facts).since

const isUnasked = (facts: Facts): boolean => bridge(facts).isAttested === undefined
const unaskedText = 'Nobody can be asked now whether the bridge has attested the transfer'

const bridgeRows: readonly Row[] = [
  {
    situation: 'BRIDGE_SHORT',
    is: isTooLittle,
    verdict: (facts) =>
      `The bridge brought less than was agreed: ${bridge(facts).delivered!.text}. Nothing more is signed by itself.`,
    funds: (facts) => withRecipient(bridge(facts).delivered!, bridge(facts).to.name),
    safeToRetry: never,
    // What waits for more is ended by going on with it.
    next: (facts) => command(facts, isShort(facts.operation) ? 'export' : 'resume'),
  },
  {
    situation: 'BRIDGE_DELIVERED',
    is: ({ bridge }) => bridge?.isMinted === true,
    verdict: (facts) =>
      `The bridge delivered on ${bridge(facts).to.name}, and nobody has gone on with the rest since.${stuckText(facts)}`,
    funds: fundsNow,
    safeToRetry: never,
    next: goOnOrNot,
  },
  {
    situation: 'BRIDGE_UNDELIVERED',
    is: ({ bridge }) => bridge?.isAttested === true,
    verdict: (facts) =>
      `The bridge has attested the transfer, and nobody has delivered it on ${bridge(facts).to.name} yet.`,
    funds: onTheBridge,
    safeToRetry: never,
    next: (facts) => command(facts, 'resume'),
  },
  {
    // What it does not know may be attested late, or delivered long ago: that nobody minted it, nobody says.
    situation: 'BRIDGE_STUCK',
    is: ({ bridge }) => bridge?.isUnknown === true,
    verdict: (facts) =>
      `The attestation service of the bridge does not know the transfer, which was sent ${minutes(waited(facts))} ago, and ${minutes(bridge(facts).usualMs)} are usual at most. That does not say that it is lost: it may be attested late, or be delivered already. Look at what ${bridge(facts).recipient} got on ${bridge(facts).to.name} since, and ask whoever runs the bridge with what is exported.`,
    funds: onTheBridge,
    safeToRetry: never,
    next: (facts) => command(facts, 'export'),
  },
  {
    situation: 'BRIDGE_STUCK',
    is: (facts) => facts.bridge !== undefined && waited(facts) > facts.bridge.usualMs,
    verdict: (facts) =>
      isUnasked(facts)
        ? `${unaskedText}: it was sent ${minutes(waited(facts))} ago, and ${minutes(bridge(facts).usualMs)} are usual at most.`
        : `The bridge has not attested the transfer for ${minutes(waited(facts))}, and ${minutes(bridge(facts).usualMs)} are usual at most.`,
    funds: onTheBridge,
    safeToRetry: never,
    next: (facts) => command(facts, 'export'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge !== undefined,
    verdict: (facts) =>
      isUnasked(facts)
        ? `${unaskedText}, which takes a while at first.`
        : 'The bridge has not attested the transfer yet, which is usual at first.',
    funds: onTheBridge,
    safeToRetry: never,
    next: (facts) => command(facts, 'resume'),
  },
]

const nothingMoves = ({ focus }: Facts): boolean =>
  focus === undefined || !isInTheAir(focus.step) || focus.seen?.found?.isDeep === true
const isHalf = (facts: Facts): boolean => facts.unsigned !== undefined && nothingMoves(facts)

/** How a half is gone on with, or ended, as sentences that follow another one. */
const waysOn = (facts: Facts): string =>
  `${endedText(facts)}${isLeft(facts) && facts.unsigned!.role !== 'fee' ? ` Go on with it, or take the allowance back (${command(facts, 'revoke')}).` : ''}${refusedText(facts)}${stuckText(facts)}`

/** What is mined, and what is left to do. */
export const going: readonly Row[] = [
  {
    situation: 'MINED_NOT_FINAL',
    is: ({ focus }) => focus?.seen?.found !== undefined && isInTheAir(focus.step) && !focus.seen.found.isDeep,
    verdict: (facts) => {
      const { step, seen, network } = facts.focus!
      const { blockNumber, confirmations, ok, unlike } = seen!.found!
      const why = unlike
        ? `which would be final, but ${disagreementText(unlike)}. ${disagreementWay(unlike, rpcVariable(network))}`
        : 'which is not final yet'
      return `${stepWord(facts, step.index)} ${ok ? 'is' : 'reverted'} in block ${blockNumber}, ${confirmations} deep, ${why}.`
    },
    funds: (facts) =>
      facts.focus!.seen!.found!.ok && facts.focus!.step.role === 'action'
        ? `As soon as that is final: ${whenFinal(facts)}`
        : fundsNow(facts),
    safeToRetry: never,
    next: (facts) => command(facts, 'resume'),
  },
  ...bridgeRows,
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
      facts.isAtWork
        ? `A part is done, and the quote for the rest has expired; ${inHand(facts)}.`
        : `A part is done, and the quote for the rest has expired: nothing more of it is signed without a new one.`.concat(
            isLeft(facts) ? ' Instead of a new plan, the allowance can be taken back.' : '',
            refusedText(facts),
          ),
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: isSafe,
    next: (facts) => command(facts, facts.isAtWork ? 'watch' : 'replan'),
  },
  {
    situation: 'PARTLY_DONE',
    is: isHalf,
    verdict: (facts) =>
      `A part is done and final, and step ${facts.unsigned!.index + 1} of ${facts.operation.steps.length} (${facts.unsigned!.role}) is not signed${facts.isAtWork ? `: ${inHand(facts)}.` : `.${waysOn(facts)}`}`,
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: isSafe,
    next: (facts) => (facts.isAtWork ? command(facts, 'watch') : goOnOrNot(facts)),
  },
  {
    situation: 'MINED_UNNOTICED',
    is: ({ operation, steps }) =>
      standing(operation).every((step) => steps.some((one) => one.step === step && wentWell(one))),
    verdict: () =>
      'All of it is mined and final; whoever carried it out ended before the journal could say so.',
    funds: (facts) => arrivedAt(facts) + allowed(facts),
    safeToRetry: never,
    next: (facts) => command(facts, 'resume'),
  },
  {
    // Whatever is not known by another name: it is not said to have gone well.
    situation: 'PARTLY_DONE',
    is: () => true,
    verdict: () => 'Not all of it happened, and the journal does not say how it goes on.',
    funds: (facts) => fundsNow(facts) + allowed(facts),
    safeToRetry: never,
    next: (facts) => command(facts, 'show'),
  },
]
