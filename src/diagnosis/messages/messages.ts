import { plain } from '../../domain/text.ts'
import { holdsAllowance } from '../../transactions/operations/unfinished.ts'
import { resultOf } from '../../transactions/outcome/result.ts'
import {
  type BridgeFacts,
  type ChainFacts,
  type Facts,
  hasOtherPending,
  hasStepSucceeded,
  isInFlight,
  type StepFacts,
} from '../facts/facts.ts'
import { isSettlementUncertain } from './doubts.ts'
import { formattedAmount, receivedFundsText } from './received.ts'
import { retryRiskText, supersededStep } from './retry-safety.ts'

/** How the amount of an action is called in a sentence. */
export function amountText({ plan }: Facts): string {
  const amount = plan.about.amounts.in ?? plan.about.amounts.out
  return amount ? `${amount.formatted} ${plain(amount.symbol)}` : 'everything'
}

/** The network on which an action begins. */
export const originNetwork = ({ operation, chains }: Facts): string =>
  chains.get(operation.legs[0]!.chainId)!.network.name

/** Where the funds of an action are, as far as it went: where they were, on their way to another chain, or where it was to bring them. */
export function fundsText(facts: Facts): string {
  const { operation, steps, bridge } = facts
  // What left its block may be in another one by now.
  const isThere = ({ onChain }: StepFacts) => onChain?.isGone !== true || onChain.found?.ok === true
  const moved = steps.findLast((one) => one.step.role === 'action' && hasStepSucceeded(one) && isThere(one))
  if (!moved) {
    const owner = supersededStep(facts)?.onChain?.owner
    const unless = owner ? ` That is so unless ${owner.hash} moved it.` : ''
    return untouched(facts) + unless
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
  if (bridge) return bridgeFundsText(facts)
  return `${amountText(facts)}: sent from ${moved.network.name} to ${to}, for ${last.arrival.recipient}. Whether it is there is not known.`
}

/** Where funds are that a bridge brought to another chain. */
export const recipientFundsText = (
  { text, hash, later }: Pick<NonNullable<BridgeFacts['delivered']>, 'text' | 'hash' | 'later'>,
  to: string,
): string =>
  `${text}: with the recipient on ${to}, in ${hash}.${later ? ` After that the bridge brought ${later.text} more to the same recipient, last in ${later.hash}.` : ''}`

/** Where funds are that were sent over a bridge, and whose delivery nobody has found. */
export function bridgeFundsText(facts: Facts): string {
  const { from, to, burn, isMinted, recipient } = facts.bridge!
  const burned = `${amountText(facts)}: burned on ${from.name} in ${burn}`
  if (isMinted === true)
    return `${burned}, and delivered to ${recipient} on ${to.name}. The transaction was not found, so how much came is not known here.`
  return isMinted === false
    ? `${burned}, and not minted on ${to.name}. Nobody else can have it.`
    : `${burned}, for ${recipient} on ${to.name}. Whether it is minted there is not known; nobody else can have it.`
}

/** Where the funds are before anything has moved them. */
function untouched(facts: Facts): string {
  const { operation, plan } = facts
  if (operation.kind === 'revoke')
    return `No funds are moved by this; they are in the wallet ${operation.wallet}.`
  if (operation.kind === 'withdraw')
    return `The funds are still in ${plain(plan.about.strategySlug ?? 'the strategy')}, for ${operation.wallet}.`
  if (operation.kind === 'claim')
    return `${amountText(facts)}: still set aside by ${plain(plan.about.strategySlug ?? 'the strategy')}, for ${operation.wallet}.`
  return `${amountText(facts)}: still in the wallet ${operation.wallet} on ${originNetwork(facts)}.`
}

/** What contracts may still take, as a sentence that follows another one. */
export const allowancesText = ({ remainingAllowances }: Facts): string =>
  remainingAllowances
    ?.map(
      ({ spender, amount, network }) =>
        ` The contract ${spender} may still take ${amount.formatted} ${plain(amount.symbol)} on ${network}.`,
    )
    .join('') ??
  ' What it allowed contracts to take, and whether that is left, is not known: a chain does not say.'

/** Where the funds are as soon as a step is final that is mined: where it was all to come, or on their way to another chain. */
export function fundsWhenFinal(facts: Facts): string {
  const { operation, focus, chains } = facts
  const next = operation.legs.find(({ leg, arrival }) => arrival !== null && leg > focus!.step.leg)
  return next?.arrival
    ? `${amountText(facts)}: on the way to ${next.arrival.recipient} on ${chains.get(next.chainId)!.network.name}.`
    : receivedFundsText(facts)
}

/** The command for something about this action. */
export const actionCommand = ({ operation }: Facts, name: string, more = ''): string =>
  `sluice action ${name} ${operation.id}${more}`

/** Whether something that a contract may take is left, as far as that is known. */
export const hasRemainingAllowance = ({ remainingAllowances }: Facts): boolean =>
  remainingAllowances === null || remainingAllowances.length > 0

/** Gives back what is left of an allowance; nothing where none is. */
export const revokeSteps = (facts: Facts): string | null =>
  hasRemainingAllowance(facts) ? actionCommand(facts, 'revoke') : null

/** Whether the action did already move funds on one of its chains. */
export const hasMovedFunds = ({ steps }: Facts): boolean =>
  steps.some(
    ({ step, onChain }) =>
      step.role === 'action' &&
      (step.state === 'FINAL_OK' || (onChain?.found?.ok === true && onChain.found.kind !== 'cancel')),
  )

/** Whether another action for the same is safe: nothing was moved by this one, the journal has the end of all that is signed of it, no other process is at work with it, and it does not still need an allowance that the other would take. */
export const isSafeToRetry = (facts: Facts): boolean =>
  !hasMovedFunds(facts) &&
  !facts.steps.some(({ step }) => isInFlight(step)) &&
  !facts.isWalletBusy &&
  !isSettlementUncertain(facts) &&
  !holdsAllowance(facts.operation) &&
  retryRiskText(facts) === undefined

/** That the same is refused as long as this is open, as a sentence that follows another one. */
export const duplicateRefusedText = ({ operation }: Facts): string =>
  holdsAllowance(operation)
    ? ' Asked for anew, the same is refused until this one is gone on with or given up.'
    : ''

/** That somebody is at work with what is not signed, as the end of a sentence about it. */
export const walletBusyText = ({ operation: { wallet } }: Facts): string =>
  `another process is at work with ${wallet} now, and may sign it at any moment`

/** `Step 2 of 3`, or `It` where there is only one. */
export const stepText = ({ operation }: Facts, index: number): string =>
  operation.steps.length === 1 ? 'It' : `Step ${index + 1} of ${operation.steps.length}`

/** That another step is signed and not settled, as a sentence that follows another one. */
export const otherPendingText = (facts: Facts): string =>
  hasOtherPending(facts) ? ' Another step of it is signed, and may still be mined.' : ''

/** A fee per gas in gwei. */
export const gweiText = (wei: bigint): string => `${Number(wei) / 1e9} gwei`

/** The chains that do not answer as they should, of those that matter: where something waits, only its own. */
export function failingChains({ chains, focus }: Facts, is: ChainFacts['is']): ChainFacts[] {
  const only = focus && isInFlight(focus.step) && !hasStepSucceeded(focus) ? focus.network.chainId : undefined
  return [...chains.values()].filter(
    (one) => one.is === is && (only === undefined || one.network.chainId === only),
  )
}
