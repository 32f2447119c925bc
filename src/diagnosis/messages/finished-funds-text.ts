import { decodeTransfer } from '../../chain/erc20.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { type Next, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { minimumReceived } from '../../transactions/outcome/received-amount.ts'
import type { Facts } from '../facts/operation-facts.ts'

/** An amount as a person reads it. */
export const formattedAmount = ({ formatted, symbol }: TokenAmount): string =>
  `${formatted} ${sanitizeText(symbol)}`

/** Where the funds of a finished operation are, with the amount by its receipts, otherwise the minimum. */
export function receivedFundsText(facts: Facts): string {
  const { operation, plan } = facts
  const { about } = plan
  const place = sanitizeText(about.strategySlug ?? 'the strategy')
  switch (operation.kind) {
    case 'deposit':
      return depositedText(facts, place)
    case 'withdraw':
      if (about.queued) return queuedText(facts, place)
      return `${outText(facts, 'The withdrawn funds')}: in the wallet ${about.receiver}.${feeText(facts)}`
    case 'revoke':
      return `No funds were moved; they are in the wallet ${operation.wallet}.`
    default:
      return `${outText(facts, 'The funds')}: with ${about.receiver}.`
  }
}

const outText = ({ received, operation }: Facts, otherwise: string): string => {
  const least = minimumReceived(operation)
  return received ? formattedAmount(received) : least ? `At least ${formattedAmount(least)}` : otherwise
}

/** The deposited amount: after a bridge the guaranteed minimum; the rest of the delivery stays in the wallet. */
function depositedText({ plan, bridged }: Facts, place: string): string {
  const { about, intents } = plan
  const unit = about.amounts.in
  const amount = intents.at(-1)?.amount
  if (!unit || typeof amount !== 'string') return `The deposit: in ${place}, for ${about.receiver}.`
  const rest = bridged ? BigInt(bridged.raw) - BigInt(amount) : 0n
  const more =
    bridged && rest > 0n
      ? ` The bridge delivered ${formattedAmount(tokenAmount(rest, bridged))} more: in the wallet ${about.receiver}.`
      : ''
  return `${formattedAmount(tokenAmount(BigInt(amount), unit))}: in ${place}, for ${about.receiver}.${more}`
}

function queuedText({ plan, claimed }: Facts, place: string): string {
  const { receiver } = plan.about
  return claimed
    ? `The withdrawal from ${place} was requested. Since then, the action ${claimed.id} claimed ${claimed.out ? formattedAmount(claimed.out) : 'the amount that was ready there'} for ${receiver}, from this withdrawal or another one.`
    : `The withdrawn funds: in the queue of ${place}, for ${receiver}. They can be claimed when they are ready.`
}

/** What is left to do about a withdrawal that was queued: to claim it, or to see what a later claim left; `null` for another action. */
export function queuedSteps({ plan: { about }, claimed }: Facts): Next | null {
  if (!about.queued || !about.strategySlug) return null
  return claimed
    ? sluice('wallet show', about.receiver)
    : sluice('withdraw', about.strategySlug, { '--claim': true })
}

/** The service fee taken from the received amount, as a following sentence. */
function feeText({ steps, plan, received }: Facts): string {
  const unit = received ?? plan.about.amounts.out
  const paid = steps
    .filter(({ step }) => step.role === 'fee' && step.state === 'FINAL_OK')
    .reduce((sum, { step }) => sum + (decodeTransfer(step.transaction)?.amount ?? 0n), 0n)
  return paid > 0n && unit ? ` Of that, ${formattedAmount(tokenAmount(paid, unit))} went to the service.` : ''
}
