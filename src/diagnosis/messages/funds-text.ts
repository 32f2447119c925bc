import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { resultOf } from '../../transactions/bridge/delivery-result.ts'
import { isUnconfirmed, supersededStep } from '../facts/operation-conditions.ts'
import { type BridgeFacts, type Facts, hasStepSucceeded, type StepFacts } from '../facts/operation-facts.ts'
import { formattedAmount, receivedFundsText } from './finished-funds-text.ts'

/** Where the funds of an operation are by its progress: at the origin, on a bridge, or at the destination. */
export function fundsText(facts: Facts): string {
  const { operation, steps, bridge } = facts
  // A transaction that left its block may be in another one.
  const isThere = ({ onChain }: StepFacts) => onChain?.isGone !== true || onChain.found?.ok === true
  const moved = steps.findLast((one) => one.step.role === 'action' && hasStepSucceeded(one) && isThere(one))
  if (!moved) {
    const owner = supersededStep(facts)?.onChain?.owner
    const unless = owner ? ` This is true unless ${owner.hash} moved the funds.` : ''
    return fundsAtOrigin(facts) + unless
  }
  const later = operation.legs.filter(({ leg, arrival }) => arrival !== null && leg > moved.step.leg)
  const last = later.at(-1)
  if (!last?.arrival) return receivedFundsText(facts)
  const to = facts.chains.get(last.chainId)!.network.name
  if (last.arrival.hash !== null)
    return facts.bridged
      ? `${formattedAmount(facts.bridged)}: in the wallet ${last.arrival.recipient} on ${to}.`
      : `The funds are in the wallet ${last.arrival.recipient} on ${to}.`
  const { short } = resultOf(operation)
  if (bridge?.delivered) return recipientFundsText(bridge.delivered, to)
  if (short) return recipientFundsText({ ...short, text: formattedAmount(short.brought) }, to)
  const { refund } = resultOf(operation)
  if (refund)
    return `${formattedAmount(refund.amount)}: paid back to ${refund.recipient} on ${sanitizeText(refund.network)}, in ${refund.hash}.`
  if (resultOf(operation).unfilled) return orderFundsText(facts)
  if (bridge) return bridgeFundsText(facts)
  return `${operationAmountText(facts)}: sent from ${moved.network.name} to ${to}, for ${last.arrival.recipient}. Whether the funds arrived is not known.`
}

/** Where funds are after a bridge delivery. */
export const recipientFundsText = (
  { text, hash, later }: Pick<NonNullable<BridgeFacts['delivered']>, 'text' | 'hash' | 'later'>,
  to: string,
): string =>
  `${text}: with the recipient on ${to}, in ${hash}.${later ? ` After that, the bridge delivered ${later.text} more to the same recipient, last in ${later.hash}.` : ''}`

/** Where bridged funds are whose delivery was not found. */
export function bridgeFundsText(facts: Facts): string {
  const { way, from, to, burn, isMinted, recipient } = facts.bridge!
  if (way === 'deposit') return depositFundsText(facts)
  if (way === 'order') return orderFundsText(facts)
  if (way === 'desk') return deskFundsText(facts)
  if (way === 'solver') return solverFundsText(facts)
  const burned = `${operationAmountText(facts)}: burned on ${from.name} in ${burn}`
  if (isMinted === true)
    return `${burned}, and delivered to ${recipient} on ${to.name}. The transaction was not found, so the amount is not known here.`
  return isMinted === false
    ? `${burned}, not minted on ${to.name} yet. No one else can take the funds.`
    : `${burned}, for ${recipient} on ${to.name}. Whether the funds are minted there is not known; no one else can take them.`
}

/** The same for an order: only its fill takes anything. */
function orderFundsText(facts: Facts): string {
  const { isMinted, recipient } = facts.bridge ?? { isMinted: false }
  if (isMinted === true)
    return `${operationAmountText(facts)}: swapped, and paid to ${recipient}. The transaction was not found, so the amount is not known here.`
  return isMinted === undefined
    ? `${operationAmountText(facts)}: in the wallet ${facts.operation.wallet}, unless the order was filled. Whether it was is not known here.`
    : `${operationAmountText(facts)}: still in the wallet ${facts.operation.wallet} on ${originNetwork(facts)}.`
}

/** The same for what the desk of a ramp has. */
function deskFundsText(facts: Facts): string {
  const { from, burn, expiry, isMinted, recipient } = facts.bridge!
  const sent = `${operationAmountText(facts)}: sent to the desk on ${from.name} in ${burn}`
  if (expiry?.refund)
    return `${sent}. ${expiry.refund.text} was paid back to ${recipient}, in ${expiry.refund.hash}.`
  return isMinted === false
    ? `${sent}. The desk holds the funds: it has not paid ${recipient} yet.`
    : `${sent}, for ${recipient}. Whether the desk has paid is not known.`
}

/** The same for a deposit that a solver pays out, which Relay has until then. */
function solverFundsText(facts: Facts): string {
  const { from, to, burn, isMinted, recipient, order } = facts.bridge!
  const sent = `${operationAmountText(facts)}: deposited at Relay on ${from.name} in ${burn}`
  if (order?.returned) {
    const { text, network, hash, recipient: payee } = order.returned
    return `${text}: paid back to ${payee} on ${network.name}, in ${hash}.`
  }
  return isMinted === false
    ? `${sent}, not paid out on ${to.name} yet. Relay holds the funds until it pays ${recipient} there or refunds them.`
    : `${sent}, for ${recipient} on ${to.name}. Whether the funds are paid out there is not known.`
}

/** The same for a deposit that a relayer pays out. */
function depositFundsText(facts: Facts): string {
  const { from, to, burn, isMinted, recipient, expiry } = facts.bridge!
  const { wallet } = facts.operation
  const sent = `${operationAmountText(facts)}: deposited on ${from.name} in ${burn}`
  if (isMinted === true)
    return `${sent}, and paid out to ${recipient} on ${to.name}. The transaction was not found, so the amount is not known here.`
  if (expiry?.refund)
    return `${sent}. ${expiry.refund.text} was paid back to ${wallet} there, in ${expiry.refund.hash}.`
  return isMinted === false
    ? `${sent}, not paid out on ${to.name} yet. No one else can take the funds: they go to ${recipient} there, or back to ${wallet}.`
    : `${sent}, for ${recipient} on ${to.name}. Whether the funds are paid out there is not known; no one else can take them.`
}

/** Where the funds are before anything moved them. */
function fundsAtOrigin(facts: Facts): string {
  const { operation, plan } = facts
  if (operation.kind === 'revoke')
    return `This action moves no funds; they are in the wallet ${operation.wallet}.`
  if (operation.kind === 'deliver')
    return `This action moves no funds of the wallet ${operation.wallet}; ${operationAmountText(facts)} waits at the bridge for ${plan.about.receiver}.`
  if (operation.kind === 'withdraw')
    return `The funds are still in ${sanitizeText(plan.about.strategySlug ?? 'the strategy')}, for ${operation.wallet}.`
  if (operation.kind === 'claim')
    return `${operationAmountText(facts)}: still reserved in ${sanitizeText(plan.about.strategySlug ?? 'the strategy')}, for ${operation.wallet}.`
  return `${operationAmountText(facts)}: still in the wallet ${operation.wallet} on ${originNetwork(facts)}.`
}

/** The following sentence that a refund leaves out the service fee that a step of its own paid. */
export const unreturnedFeeText = ({ steps }: Facts): string =>
  steps.some(({ step }) => step.role === 'fee' && step.state === 'FINAL_OK')
    ? ' The service fee, which a separate step paid, is not refunded.'
    : ''

/** Where the funds will be once a mined step is final. */
export function fundsWhenFinal(facts: Facts): string {
  const { operation, focus, chains } = facts
  const next = operation.legs.find(({ leg, arrival }) => arrival !== null && leg > focus!.step.leg)
  return next?.arrival
    ? `${operationAmountText(facts)}: in transit to ${next.arrival.recipient} on ${chains.get(next.chainId)!.network.name}.`
    : receivedFundsText(facts)
}

/** Where the funds are by the journal, if the chain does not tell. */
export const fundsByJournal = (facts: Facts): string =>
  isUnconfirmed(facts)
    ? `According to the journal, ${operationAmountText(facts)} may have left the wallet ${facts.operation.wallet}, or may leave it at any time.`
    : `According to the journal: ${fundsText(facts)}`

/** The amount of an operation in a sentence. */
export function operationAmountText({ plan }: Facts): string {
  const amount = plan.about.amounts.in ?? plan.about.amounts.out
  return amount ? `${amount.formatted} ${sanitizeText(amount.symbol)}` : 'everything'
}

/** The network on which an operation begins. */
export const originNetwork = ({ operation, chains }: Facts): string =>
  chains.get(operation.legs[0]!.chainId)!.network.name
