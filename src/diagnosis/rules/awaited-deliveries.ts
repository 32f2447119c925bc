import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { momentText, spanText } from '../../domain/text/time-spans.ts'
import { isUnderDelivered } from '../../transactions/bridge/delivery-result.ts'
import { type Facts, isUnderDelivery } from '../facts/operation-facts.ts'
import { msSince } from '../instant.ts'
import { bridgeFundsText, fundsText, recipientFundsText, unreturnedFeeText } from '../messages/funds-text.ts'
import { blockerText, commandForOperation, unsignedNextSteps } from '../messages/shared-operation-phrases.ts'
import { type DiagnosisRule, neverSafe } from '../verdict.ts'

const bridge = ({ bridge }: Facts) => bridge!

const waited = (facts: Facts): number => msSince(bridge(facts).since, facts.now)

/** Longer than the usual maximum, counted only if chain and service were read: an outage of theirs is no delay of the transfer. */
const isOverdue = (facts: Facts): boolean => {
  const { way, isMinted, isAttested, unanswered, order, usualMs } = bridge(facts)
  const isRead =
    way === 'burn'
      ? isAttested !== undefined && (isMinted !== undefined || !isAttested)
      : isMinted !== undefined || order?.said !== undefined
  return isRead && unanswered === undefined && waited(facts) > usualMs
}

/** What could not be read, with the host that did not answer, and what is usual if the transfer takes longer. */
function unreadText(facts: Facts, what: string): string {
  const { unanswered, usualMs } = bridge(facts)
  const host = unanswered === undefined ? '' : ` (no usable answer from ${unanswered})`
  const late =
    waited(facts) > usualMs
      ? ` The transfer was sent ${spanText(waited(facts))} ago; the usual maximum is ${spanText(usualMs)}.`
      : ''
  return `${what} cannot be read now${host}.${late}`
}

const whoOf = (facts: Facts): string => (bridge(facts).way === 'desk' ? 'desk' : 'bridge')

const isUnseen = (facts: Facts): boolean => bridge(facts).isMinted === undefined

const expiryText = (facts: Facts): string => momentText(bridge(facts).expiry!.at * 1_000)

/** What the service of an order says, which counts for nothing that the chains do not show. */
function saidText(facts: Facts): string {
  const { said } = bridge(facts).order ?? {}
  if (!said) return ''
  return ` The service reports ${sanitizeText(said.text)}, but no chain shows a payment.`
}

/** The number of an order, and until when it may be filled. */
const orderText = (facts: Facts): string => {
  const { id, until } = bridge(facts).order ?? {}
  return until === undefined ? '' : ` The order ${id} can be filled until ${momentText(until * 1_000)}.`
}

/** In which transaction and when the transfer was paid back. */
function refundPlace(facts: Facts): string {
  const { hash, paidAt } = bridge(facts).expiry?.refund ?? {}
  return hash === undefined
    ? ''
    : ` in ${hash}${paidAt === null || paidAt === undefined ? '' : ` at ${momentText(paidAt)} (block time)`}`
}

/** How anybody can help on a burn for which the usual time is over, or whose attestation holds no longer. */
function remedyText(facts: Facts): string {
  const { remedies, isAttested, to, usualMs } = bridge(facts)
  if (remedies?.reattest)
    return isAttested
      ? ` Its attestation has expired. To have it signed again: ${remedies.reattest}`
      : ` If the burn is final, this requests the attestation again, or says why not: ${remedies.reattest}`
  return remedies?.canDeliver && waited(facts) > usualMs
    ? ` Anyone can deliver it and pay the gas on ${to.name}.`
    : ''
}

/** Who can look up a transfer, and what to give them: `next` exports the evidence, which has nobody else to go to. */
const askText = (facts: Facts): string =>
  ` Ask the operator of the ${whoOf(facts)}, with the transaction ${bridge(facts).burn} or the evidence file of the action.`

/** Why an open order cannot be filled now: the allowance that it was given is gone, as after `action revoke`. */
function unfillableText({ operation, plan, remainingAllowances }: Facts): string {
  const { in: sold } = plan.about.amounts
  const wasGiven = operation.steps.some(({ role, state }) => role === 'approve' && state === 'FINAL_OK')
  if (!sold || !wasGiven || remainingAllowances === null) return ''
  const left = remainingAllowances.find(({ amount }) => amount.symbol === sold.symbol)?.amount
  if (BigInt(left?.raw ?? 0) >= BigInt(sold.raw)) return ''
  return ` It cannot be filled now: it sells ${sold.formatted} ${sold.symbol}, and its allowance is ${left?.formatted ?? '0'} ${sold.symbol}.`
}

/** Rules for a delivery that is awaited: by a bridge, a solver, an order or a ramp. */
export const deliveryRules: readonly DiagnosisRule[] = [
  {
    situation: 'BRIDGE_SHORT',
    is: isUnderDelivery,
    verdict: (facts) =>
      `The ${whoOf(facts)} delivered less than agreed: ${bridge(facts).delivered!.text}. No further step is signed automatically.${isUnderDelivered(facts.operation) ? askText(facts) : ''}`,
    funds: (facts) => recipientFundsText(bridge(facts).delivered!, bridge(facts).to.name),
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for more.
    next: (facts) => commandForOperation(facts, isUnderDelivered(facts.operation) ? 'export' : 'resume'),
  },
  {
    situation: 'BRIDGE_DELIVERED',
    is: ({ bridge }) => bridge?.isMinted === true,
    verdict: (facts) =>
      bridge(facts).way === 'order' || !facts.unsigned
        ? `The ${bridge(facts).way === 'order' ? 'order was filled' : `${whoOf(facts)} delivered`} on ${bridge(facts).to.name}, but the journal has not recorded this yet.`
        : `The ${whoOf(facts)} delivered on ${bridge(facts).to.name}, but the remaining steps are not done yet.${blockerText(facts)}`,
    funds: fundsText,
    safeToRetry: neverSafe,
    next: unsignedNextSteps,
  },
  {
    situation: 'ORDER_UNFILLED',
    is: ({ bridge }) => bridge?.unfilled !== undefined,
    verdict: (facts) =>
      bridge(facts).unfilled === 'cancelled'
        ? 'The order was cancelled before it was filled: nothing was swapped.'
        : `The order was not filled before ${expiryText(facts)} and has expired: nothing was swapped.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the fill.
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'ORDER_OPEN',
    is: ({ bridge }) => bridge?.way === 'order',
    verdict: (facts) =>
      bridge(facts).isMinted === undefined || !bridge(facts).expiry
        ? 'Whether the order was filled cannot be read now.'
        : `The order is open until ${expiryText(facts)} and not filled yet: nothing has been swapped.${unfillableText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_REFUNDED',
    is: ({ bridge }) => bridge?.expiry?.refund !== undefined,
    verdict: (facts) =>
      bridge(facts).way === 'desk'
        ? `The desk did not swap the deposit and paid it back on ${bridge(facts).from.name}${refundPlace(facts)}.${unreturnedFeeText(facts)}`
        : `The deposit was not paid out on ${bridge(facts).to.name} before ${expiryText(facts)}, and the bridge paid it back on ${bridge(facts).from.name}${refundPlace(facts)}.${unreturnedFeeText(facts)}`,
    funds: fundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the delivery.
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_REFUNDED',
    is: ({ bridge }) => bridge?.order?.returned !== undefined,
    verdict: (facts) => {
      const { text, network, hash } = bridge(facts).order!.returned!
      return `The solver did not fill the order and paid ${text} back on ${network.name} (${hash}).${unreturnedFeeText(facts)}`
    },
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    // Resuming ends an operation that waits for the payment.
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_STUCK',
    is: (facts) =>
      facts.bridge?.way === 'solver' && (isOverdue(facts) || bridge(facts).order?.said?.word === 'failure'),
    verdict: (facts) =>
      `The solver has neither paid out nor refunded the order${waited(facts) > bridge(facts).usualMs ? ` for ${spanText(waited(facts))}` : ''}${isUnseen(facts) ? ', as far as is known' : ''}${waited(facts) > bridge(facts).usualMs ? `; the usual maximum is ${spanText(bridge(facts).usualMs)}` : ''}.${saidText(facts)}${orderText(facts)} Ask Relay, with the ID of the order. Its contract may also have refunded the deposit without that ID: check what ${facts.operation.wallet} has received on ${bridge(facts).from.name} since.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge?.way === 'solver',
    verdict: (facts) =>
      isUnseen(facts) || bridge(facts).unanswered !== undefined
        ? unreadText(
            facts,
            `Whether a solver has paid out on ${bridge(facts).to.name}, or refunded the order,`,
          )
        : `No solver has paid out on ${bridge(facts).to.name} yet.${saidText(facts)}${orderText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'RAMP_STUCK',
    is: (facts) => facts.bridge?.way === 'desk' && isOverdue(facts),
    verdict: (facts) =>
      `The desk has not paid for ${spanText(waited(facts))}; the usual maximum is ${spanText(bridge(facts).usualMs)}. The ticket may be held: ask the operator of the desk, with the transaction ${bridge(facts).burn}.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    situation: 'RAMP_WAITING',
    is: ({ bridge }) => bridge?.way === 'desk',
    verdict: (facts) =>
      isUnseen(facts)
        ? unreadText(facts, 'Whether the desk has paid')
        : `The desk has received the transfer but has not paid ${bridge(facts).recipient} yet; this takes some minutes. The status of its ticket does not count until the chain shows the payment.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_EXPIRED',
    is: ({ bridge }) => bridge?.expiry?.isPast === true,
    verdict: (facts) =>
      `The deposit was not paid out on ${bridge(facts).to.name} before ${expiryText(facts)} and cannot be paid out any more. The bridge pays it back to ${facts.operation.wallet} on ${bridge(facts).from.name} with one of its next bundles, usually within some hours.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge?.way === 'deposit',
    verdict: (facts) =>
      bridge(facts).isMinted === undefined || !bridge(facts).expiry
        ? `Whether a relayer has paid out on ${bridge(facts).to.name} cannot be read now.`
        : `No relayer has paid out on ${bridge(facts).to.name} yet. A relayer can do so until ${expiryText(facts)}; after that, the deposit is paid back to ${facts.operation.wallet}.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    // Attested long ago, and nobody delivers it: anybody can.
    situation: 'BRIDGE_STUCK',
    is: (facts) =>
      facts.bridge?.isAttested === true && facts.bridge.remedies?.canDeliver === true && isOverdue(facts),
    verdict: (facts) =>
      `The bridge attested the transfer, and nobody has delivered it on ${bridge(facts).to.name} for ${spanText(waited(facts))}; the usual maximum is ${spanText(bridge(facts).usualMs)}.${remedyText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'deliver'),
  },
  {
    situation: 'BRIDGE_UNDELIVERED',
    is: ({ bridge }) => bridge?.isAttested === true,
    verdict: (facts) =>
      isUnseen(facts)
        ? unreadText(
            facts,
            `The bridge has attested the transfer. Whether it is delivered on ${bridge(facts).to.name}`,
          )
        : `The bridge has attested the transfer but not delivered it on ${bridge(facts).to.name} yet.${remedyText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
  {
    // An unknown burn may be attested late, or was delivered long ago: nothing proves that it was not minted.
    situation: 'BRIDGE_STUCK',
    is: ({ bridge }) => bridge?.isUnknown === true,
    verdict: (facts) =>
      `The attestation service of the bridge does not know the transfer, which was sent ${spanText(waited(facts))} ago; the usual maximum is ${spanText(bridge(facts).usualMs)}. The transfer is not necessarily lost: it may be attested late, or may have been delivered. Check what ${bridge(facts).recipient} has received on ${bridge(facts).to.name} since, and ask the operator of the bridge, with the evidence file.`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    situation: 'BRIDGE_STUCK',
    is: (facts) => facts.bridge !== undefined && isOverdue(facts),
    verdict: (facts) =>
      `The bridge has not attested the transfer for ${spanText(waited(facts))}; the usual maximum is ${spanText(bridge(facts).usualMs)}.${remedyText(facts) || askText(facts)}`,
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'export'),
  },
  {
    situation: 'BRIDGE_WAITING',
    is: ({ bridge }) => bridge !== undefined,
    verdict: (facts) =>
      bridge(facts).isAttested === undefined
        ? unreadText(facts, 'Whether the bridge has attested the transfer')
        : 'The bridge has not attested the transfer yet; this is normal at first.',
    funds: bridgeFundsText,
    safeToRetry: neverSafe,
    next: (facts) => commandForOperation(facts, 'resume'),
  },
]
