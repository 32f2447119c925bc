import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { isUnderDelivered } from '../../transactions/outcome/delivery-result.ts'
import { type Facts, isUnderDelivery } from '../facts/operation-facts.ts'
import { bridgeFundsText, fundsText, recipientFundsText, unreturnedFeeText } from '../messages/funds-text.ts'
import { actionCommand, blockerText, unsignedNextSteps } from '../messages/sentence-parts.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

const bridge = ({ bridge }: Facts) => bridge!

const minutes = (ms: number): string => `${Math.round(ms / 60_000)} min`

const waited = (facts: Facts): number => facts.now - bridge(facts).since

const isUnasked = (facts: Facts): boolean => bridge(facts).isAttested === undefined

const unaskedText = 'Whether the bridge has attested the transfer cannot be read now'

const whoOf = (facts: Facts): string => (bridge(facts).way === 'desk' ? 'desk' : 'bridge')

const isUnseen = (facts: Facts): boolean => bridge(facts).isMinted === undefined

const expiryText = (facts: Facts): string => new Date(bridge(facts).expiry!.at * 1_000).toISOString()

/** What the service of an order says, which counts for nothing that the chains do not show. */
function saidText(facts: Facts): string {
  const { said } = bridge(facts).order ?? {}
  if (!said) return ''
  return ` Its service calls it ${sanitizeText(said.text)}, and no chain shows a payment.`
}

/** The number of an order, and until when it may be filled. */
const orderText = (facts: Facts): string => {
  const { id, until } = bridge(facts).order ?? {}
  return until === undefined
    ? ''
    : ` The order ${id} may be filled until ${new Date(until * 1_000).toISOString()}.`
}

/** How anybody can help on a burn for which the usual time is over, or whose attestation holds no longer. */
function remedyText(facts: Facts): string {
  const { remedies, isAttested, to, usualMs } = bridge(facts)
  if (remedies?.reattest)
    return isAttested
      ? ` Its attestation holds no longer. This has it signed anew: ${remedies.reattest}`
      : ` If it is final, this has it signed anyway, or says why not: ${remedies.reattest}`
  return remedies?.deliver && waited(facts) > usualMs
    ? ` Anybody can deliver it, and pays the gas on ${to.name}: ${remedies.deliver}`
    : ''
}

/** Rules for a delivery that is awaited: by a bridge, a solver, an order or a ramp. */
export const deliveryRules: readonly DiagnosisRule[] = [
  {
    situation: 'BRIDGE_SHORT',
    is: isUnderDelivery,
    verdict: (facts) =>
      `The ${whoOf(facts)} brought less than was agreed: ${bridge(facts).delivered!.text}. Nothing more is signed by itself.`,
    funds: (facts) => recipientFundsText(bridge(facts).delivered!, bridge(facts).to.name),
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for more.
    next: (facts) => actionCommand(facts, isUnderDelivered(facts.operation) ? 'export' : 'resume'),
  },
  {
    situation: 'BRIDGE_DELIVERED',
    is: ({ bridge }) => bridge?.isMinted === true,
    verdict: (facts) =>
      bridge(facts).way === 'order'
        ? `The order was filled on ${bridge(facts).to.name}, and that is not recorded yet.`
        : `The ${whoOf(facts)} delivered on ${bridge(facts).to.name}, and the rest is not done yet.${blockerText(facts)}`,
    funds: fundsText,
    safeToRetry: neverSafe,
    next: unsignedNextSteps,
  },
  {
    situation: 'ORDER_UNFILLED',
    is: ({ bridge }) => bridge?.unfilled !== undefined,
    verdict: (facts) =>
      bridge(facts).unfilled === 'cancelled'
        ? 'The order was cancelled before anybody filled it: nothing was swapped.'
        : `The order was not filled before ${expiryText(facts)} and has expired: nothing was swapped.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the fill.
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'ORDER_OPEN',
    is: ({ bridge }) => bridge?.way === 'order',
    verdict: (facts) =>
      bridge(facts).isMinted === undefined || !bridge(facts).expiry
        ? 'Whether the order was filled cannot be read now.'
        : `The order is open until ${expiryText(facts)} and not filled yet: nothing has been swapped.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_REFUNDED',
    is: ({ bridge }) => bridge?.expiry?.refund !== undefined,
    verdict: (facts) =>
      bridge(facts).way === 'desk'
        ? `The desk did not swap it, and paid it back on ${bridge(facts).from.name}.${unreturnedFeeText(facts)}`
        : `It was not paid out on ${bridge(facts).to.name} before ${expiryText(facts)}, and the bridge paid it back on ${bridge(facts).from.name}.${unreturnedFeeText(facts)}`,
    funds: fundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the delivery.
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_REFUNDED',
    is: ({ bridge }) => bridge?.order?.returned !== undefined,
    verdict: (facts) => {
      const { text, network, hash } = bridge(facts).order!.returned!
      return `The solver did not fill the order, and paid ${text} back on ${network.name} (${hash}).${unreturnedFeeText(facts)}`
    },
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the payment.
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_STUCK',
    is: (facts) =>
      facts.bridge?.way === 'solver' &&
      (waited(facts) > facts.bridge.usualMs || bridge(facts).order?.said?.word === 'failure'),
    verdict: (facts) =>
      `The solver has neither paid the order out nor given it back${waited(facts) > bridge(facts).usualMs ? ` for ${minutes(waited(facts))}` : ''}${isUnseen(facts) ? ', as far as is known' : ''}${waited(facts) > bridge(facts).usualMs ? `, and ${minutes(bridge(facts).usualMs)} are usual at most` : ''}.${saidText(facts)}${orderText(facts)} Ask Relay with the number of the order. Its contract may also have given the deposit back without that number: look at what ${facts.operation.wallet} got on ${bridge(facts).from.name} since.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'export'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge?.way === 'solver',
    verdict: (facts) =>
      isUnseen(facts)
        ? `Whether a solver has paid it out on ${bridge(facts).to.name} cannot be read now.`
        : `No solver has paid it out on ${bridge(facts).to.name} yet.${saidText(facts)}${orderText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'RAMP_STUCK',
    is: (facts) => facts.bridge?.way === 'desk' && waited(facts) > facts.bridge.usualMs,
    verdict: (facts) =>
      `The desk has not paid for ${minutes(waited(facts))}${isUnseen(facts) ? ', as far as is known' : ''}, and ${minutes(bridge(facts).usualMs)} are usual at most. It may hold the ticket: ask the operator of the desk, with the transaction ${bridge(facts).burn}.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'export'),
  },
  {
    situation: 'RAMP_WAITING',
    is: ({ bridge }) => bridge?.way === 'desk',
    verdict: (facts) =>
      isUnseen(facts)
        ? 'Whether the desk has paid cannot be read now.'
        : `The desk has what was sent, and has not paid ${bridge(facts).recipient} yet, which takes some minutes. What its ticket says does not count before the chain shows it.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_EXPIRED',
    is: ({ bridge }) => bridge?.expiry?.isPast === true,
    verdict: (facts) =>
      `It was not paid out on ${bridge(facts).to.name} before ${expiryText(facts)}, and cannot be any more. The bridge pays it back to ${facts.operation.wallet} on ${bridge(facts).from.name} with one of its next bundles, usually within some hours.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge?.way === 'deposit',
    verdict: (facts) =>
      bridge(facts).isMinted === undefined || !bridge(facts).expiry
        ? `Whether a relayer has paid it out on ${bridge(facts).to.name} cannot be read now.`
        : `No relayer has paid it out on ${bridge(facts).to.name} yet. One can until ${expiryText(facts)}; after that it is paid back to ${facts.operation.wallet}.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_UNDELIVERED',
    is: ({ bridge }) => bridge?.isAttested === true,
    verdict: (facts) =>
      `The bridge has attested the transfer, and it is not delivered on ${bridge(facts).to.name} yet.${remedyText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
  {
    // An unknown burn may be attested late, or was delivered long ago: nothing proves that it was not minted.
    situation: 'BRIDGE_STUCK',
    is: ({ bridge }) => bridge?.isUnknown === true,
    verdict: (facts) =>
      `The attestation service of the bridge does not know the transfer, which was sent ${minutes(waited(facts))} ago, and ${minutes(bridge(facts).usualMs)} are usual at most. That does not say that it is lost: it may be attested late, or be delivered already. Look at what ${bridge(facts).recipient} got on ${bridge(facts).to.name} since, and ask the operator of the bridge, with the evidence file.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'export'),
  },
  {
    situation: 'BRIDGE_STUCK',
    is: (facts) => facts.bridge !== undefined && waited(facts) > facts.bridge.usualMs,
    verdict: (facts) =>
      isUnasked(facts)
        ? `${unaskedText}: it was sent ${minutes(waited(facts))} ago, and ${minutes(bridge(facts).usualMs)} are usual at most.`
        : `The bridge has not attested the transfer for ${minutes(waited(facts))}, and ${minutes(bridge(facts).usualMs)} are usual at most.${remedyText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'export'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge !== undefined,
    verdict: (facts) =>
      isUnasked(facts)
        ? `${unaskedText}. An attestation takes a while at first.`
        : 'The bridge has not attested the transfer yet, which is usual at first.',
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => actionCommand(facts, 'resume'),
  },
]
